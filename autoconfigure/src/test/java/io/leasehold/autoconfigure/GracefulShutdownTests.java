package io.leasehold.autoconfigure;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.local.LocalLockEngine;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the shutdown of whole applications.
 */
class GracefulShutdownTests {

	/**
	 * An application is stopped while it works: what has begun ends under its lock, and
	 * the next owner does not wait for a lease.
	 */
	@Test
	@Fault(88)
	void requestAndScheduledTaskFinishUnderTheirLocksAndGiveThemBack() throws Exception {
		ConfigurableApplicationContext context = start();
		Work work = context.getBean(Work.class);
		int port = ((WebServerApplicationContext) context).getWebServer().getPort();
		CompletableFuture<HttpResponse<String>> response = HttpClient.newHttpClient()
			.sendAsync(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/work".formatted(port))).build(),
					HttpResponse.BodyHandlers.ofString());
		work.inside.await();
		CompletableFuture<Void> closing = CompletableFuture.runAsync(context::close);
		work.closing.await();
		assertThat(work.store.size()).as("held while the application shuts down").isEqualTo(2);
		work.goOn.countDown();
		closing.get();
		assertThat(response.get().statusCode()).isEqualTo(200);
		assertThat(response.get().body()).isEqualTo("valid to the end");
		assertThat(work.scheduled.get(30, TimeUnit.SECONDS)).isEqualTo("valid to the end");
		assertThat(work.store.size()).as("left to its lease").isZero();
	}

	/**
	 * Two applications in one JVM: the end of one does not touch the locks of the other,
	 * and leaves nothing.
	 */
	@Test
	@Fault(89)
	void contextsInOneJvmAreApartAndLeaveNoThread() throws Exception {
		Set<Thread> before = threads();
		ConfigurableApplicationContext one = start();
		ConfigurableApplicationContext other = start();
		one.getBean(Work.class).goOn.countDown();
		other.getBean(Work.class).goOn.countDown();
		other.getBean(DistributedLocks.class).acquireAsync("key").get().close();
		one.close();
		try (HeldLock held = other.getBean(DistributedLocks.class).acquire("key")) {
			assertThat(held.isValid()).isTrue();
		}
		other.close();
		await().untilAsserted(() -> assertThat(threads()).isSubsetOf(before));
	}

	private static ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(Application.class)
			.properties("server.port=0", "leasehold.engine=local", "leasehold.lease=1h", "spring.flyway.enabled=false",
					"spring.liquibase.enabled=false")
			.run();
	}

	/** The library's threads that are alive. */
	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leasehold"))
			.collect(Collectors.toSet());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableScheduling
	@Import({ Work.class, Locked.class, Jobs.class, Api.class })
	static class Application {

		@Bean
		LocalLockEngine localLockEngine(MonotonicClock clock) {
			return new LocalLockEngine(clock);
		}

	}

	static class Work {

		final LocalLockEngine store;

		final CountDownLatch inside = new CountDownLatch(2);

		final CountDownLatch goOn = new CountDownLatch(1);

		final CountDownLatch closing = new CountDownLatch(1);

		final CompletableFuture<String> scheduled = new CompletableFuture<>();

		Work(LocalLockEngine store) {
			this.store = store;
		}

		@EventListener(ContextClosedEvent.class)
		void closing() {
			this.closing.countDown();
		}

		String run() throws InterruptedException {
			this.inside.countDown();
			this.goOn.await();
			return HeldLock.current().isValid() ? "valid to the end" : "lost";
		}

	}

	static class Locked {

		private final Work work;

		Locked(Work work) {
			this.work = work;
		}

		@DistributedLock(key = "#caller")
		public String run(String caller) throws InterruptedException {
			return this.work.run();
		}

	}

	static class Jobs {

		private final Locked locked;

		private final Work work;

		Jobs(Locked locked, Work work) {
			this.locked = locked;
			this.work = work;
		}

		@Scheduled(fixedDelay = Long.MAX_VALUE)
		void once() throws InterruptedException {
			this.work.scheduled.complete(this.locked.run("job"));
		}

	}

	@RestController
	static class Api {

		private final Locked locked;

		Api(Locked locked) {
			this.locked = locked;
		}

		@GetMapping("/work")
		String work() throws InterruptedException {
			return this.locked.run("request");
		}

	}

}
