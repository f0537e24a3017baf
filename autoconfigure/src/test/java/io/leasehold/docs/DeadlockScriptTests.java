package io.leasehold.docs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.LockInspector;
import io.leasehold.LockOptions;
import io.leasehold.server.Ports;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The script of the page for incidents finds deadlocks between instances, and no others.
 */
class DeadlockScriptTests {

	private static final List<ConfigurableApplicationContext> INSTANCES = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	@BeforeAll
	static void start() {
		for (int i = 0; i < 2; i++) {
			INSTANCES.add(
					new SpringApplicationBuilder(Application.class)
						.properties("server.port=0", "leasehold.engine=jdbc", "leasehold.jdbc.initialize-schema=always",
								"spring.datasource.url=jdbc:h2:mem:deadlock-script;DB_CLOSE_DELAY=-1",
								"leasehold.wait-time=5m", "spring.flyway.enabled=false",
								"spring.liquibase.enabled=false", "management.endpoints.web.exposure.include=locks")
						.run());
		}
	}

	@AfterAll
	static void stop() {
		INSTANCES.forEach(ConfigurableApplicationContext::close);
	}

	@AfterEach
	void endThreads() throws Exception {
		for (Thread thread : this.threads) {
			thread.interrupt();
			thread.join();
		}
	}

	@Test
	void cycleOfTwoInstancesIsNamed() throws Exception {
		CountDownLatch bothHold = new CountDownLatch(2);
		begin(0, "payer", "order:1", "stock:1", bothHold);
		begin(1, "packer", "stock:1", "order:1", bothHold);
		awaitWaiting(0, 1);
		awaitWaiting(1, 1);
		String output = runScript(2, url(0), url(1));
		assertThat(output.lines()).hasSize(5).startsWith("Deadlock:");
		assertThat(output)
			.contains("  thread 'payer' of %s waits for 'stock:1' (jdbc),%n    which thread 'packer' of %s holds"
				.formatted(url(0), url(1)))
			.contains("  thread 'packer' of %s waits for 'order:1' (jdbc),%n    which thread 'payer' of %s holds"
				.formatted(url(1), url(0)));
	}

	/** Keys are user data. */
	@Test
	void keysAreOnOneLine() throws Exception {
		CountDownLatch bothHold = new CountDownLatch(2);
		begin(0, "payer", "order:1\nDeadlock", "stock:1\u001b[2J", bothHold);
		begin(1, "packer", "stock:1\u001b[2J", "order:1\nDeadlock", bothHold);
		awaitWaiting(0, 1);
		awaitWaiting(1, 1);
		String output = runScript(2, url(0), url(1));
		assertThat(output.lines()).hasSize(5);
		assertThat(output).contains("waits for 'order:1\\nDeadlock' (jdbc)", "waits for 'stock:1\\x1b[2J' (jdbc)");
	}

	@Test
	void chainIsNoDeadlock() throws Exception {
		CountDownLatch bothHold = new CountDownLatch(2);
		begin(0, "payer", "order:1", "stock:1", bothHold);
		begin(1, "packer", "stock:1", "stock:2", bothHold);
		Awaitility.await().until(() -> bothHold.getCount() == 0);
		awaitWaiting(0, 1);
		assertThat(runScript(0, url(0), url(1))).isEmpty();
	}

	/** Its port is that of a server that has stopped, as that of a killed instance. */
	@Test
	void instanceThatDoesNotRespondIsNamed() throws Exception {
		String missing = "http://localhost:%s/actuator/locks".formatted(Ports.free());
		assertThat(runScript(3, missing, url(0))).startsWith("No response of " + missing);
	}

	/** Acquire a lock, and another one when all threads have their first. */
	@SuppressWarnings("try")
	private void begin(int instance, String name, String first, String second, CountDownLatch allHold) {
		DistributedLocks locks = INSTANCES.get(instance).getBean(DistributedLocks.class);
		LockOptions options = locks.defaults();
		Thread thread = new Thread(() -> {
			try (HeldLock outer = locks.acquire(first, options)) {
				allHold.countDown();
				allHold.await();
				try (HeldLock inner = locks.acquire(second, options)) {
					new CountDownLatch(1).await(); // until the test interrupts it
				}
			}
			catch (InterruptedException | LockException ex) {
				// The test has ended
			}
		}, name);
		this.threads.add(thread);
		thread.start();
	}

	private void awaitWaiting(int instance, int number) {
		LockInspector inspector = INSTANCES.get(instance).getBean(LockInspector.class);
		Awaitility.await().until(() -> inspector.overview().waiting().size() == number);
	}

	private String runScript(int status, String... urls) throws Exception {
		List<String> command = new ArrayList<>(
				List.of("python3", Manual.file("docs/operations/deadlocks.py").toString()));
		command.addAll(List.of(urls));
		Process script = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(script.waitFor()).as(output).isEqualTo(status);
		return output;
	}

	private String url(int instance) {
		return "http://localhost:%s/actuator/locks"
			.formatted(INSTANCES.get(instance).getEnvironment().getProperty("local.server.port"));
	}

	@EnableAutoConfiguration(exclude = R2dbcAutoConfiguration.class)
	@Configuration(proxyBeanMethods = false)
	static class Application {

	}

}
