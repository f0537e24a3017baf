package io.leasehold.autoconfigure;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that every optional dependency is optional, in a JVM that has none of them.
 */
class BareClassPathTests {

	/** What the library's own dependencies bring, besides its classes and these tests. */
	private static final Pattern REQUIRED = Pattern
		.compile("(spring-(aop|beans|context|core|expression|boot|boot-autoconfigure)|jspecify|commons-logging"
				+ "|micrometer-(observation|commons))-\\d.*\\.jar");

	@Test
	void locksWithNothingButTheRequiredDependencies() throws Exception {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				classPath(), "-verbose:class", "-Dleasehold.engine=local", BareClassPathTests.class.getName())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output).isZero();
		assertThat(output).contains("annotated: bare:1, in code: 2");
		assertThat(output).contains("io.leasehold.autoconfigure.LeaseholdProperties source")
			.doesNotContain("io.leasehold.autoconfigure.containers", "io.leasehold.interceptor.Coroutine");
	}

	private static String classPath() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> !entry.endsWith(".jar")
					|| REQUIRED.matcher(Path.of(entry).getFileName().toString()).matches())
			.collect(Collectors.joining(File.pathSeparator));
	}

	/**
	 * The other JVM.
	 * @param args none
	 */
	public static void main(String[] args) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Application.class);
				HeldLock held = context.getBean(DistributedLocks.class).acquire("2")) {
			System.out.println("annotated: %s, in code: %s".formatted(context.getBean(Jobs.class).run(1), held.key()));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Jobs.class)
	static class Application {

	}

	static class Jobs {

		@DistributedLock(key = "'bare:' + #id")
		public String run(int id) {
			return HeldLock.current().key();
		}

	}

}
