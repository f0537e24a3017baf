package io.leasehold.interceptor;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that Reactor is optional, in a JVM that does not have it.
 */
class WithoutReactorTests {

	@Test
	void stagesAndPlainResultsWork() throws Exception {
		String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.contains("reactor-") && !entry.contains("reactive-streams"))
			.collect(Collectors.joining(File.pathSeparator));
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				classPath, "-Dleasehold.engine=local", WithoutReactorTests.class.getName())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
		assertThat(output).contains("without reactor: true, stage: k, plain: k, publisher: refused")
			.contains(
					"Published.run returns Publisher, whose work continues after the lock was released. Return a CompletionStage, a CompletableFuture or the complete value, or add reactor-core");
	}

	/**
	 * The other JVM.
	 * @param args none
	 * @throws Exception if something does not work
	 */
	public static void main(String[] args) throws Exception {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Application.class)) {
			Jobs jobs = context.getBean(Jobs.class);
			System.out.println("without reactor: %s, stage: %s, plain: %s, publisher: %s".formatted(
					isAbsent("reactor.core.CoreSubscriber"), jobs.stage().get(), jobs.plain(), refusal(jobs::any)));
		}
		try {
			new AnnotationConfigApplicationContext(Application.class, Published.class).close();
		}
		catch (BeanCreationException ex) {
			System.out.println(ex.getMostSpecificCause().getMessage());
		}
	}

	private static String refusal(Supplier<Object> call) {
		try {
			return "returned " + call.get();
		}
		catch (IllegalStateException ex) {
			return "refused";
		}
	}

	private static boolean isAbsent(String type) {
		try {
			Class.forName(type);
			return false;
		}
		catch (ClassNotFoundException ex) {
			return true;
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LeaseholdAutoConfiguration.class, LeaseholdLocalAutoConfiguration.class })
	@Import(Jobs.class)
	static class Application {

	}

	static class Published {

		@DistributedLock(key = "'k'")
		public Flow.Publisher<String> run() {
			return (subscriber) -> {
			};
		}

	}

	static class Jobs {

		@DistributedLock(key = "'k'")
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture(HeldLock.current().key());
		}

		@DistributedLock(key = "'k'")
		public String plain() {
			return HeldLock.current().key();
		}

		@DistributedLock(key = "'k'")
		public Object any() {
			return (Flow.Publisher<String>) (subscriber) -> {
			};
		}

	}

}
