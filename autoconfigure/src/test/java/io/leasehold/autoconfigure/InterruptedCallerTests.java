package io.leasehold.autoconfigure;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.LockInterruptedException;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.engine.jdbc.JdbcConnections;
import io.leasehold.test.contract.Fault;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for callers that are interrupted while the pool of the lock's database has no
 * connection left. Nothing reported that the database is down, so the policy for that
 * does not apply.
 */
class InterruptedCallerTests {

	@ParameterizedTest
	@ValueSource(strings = { "own", "shared" })
	@Fault(109)
	void interruptedCallerDoesNotProceedWithoutItsLock(String pool) {
		run(pool, Duration.ofSeconds(30), (jobs, connections) -> {
			AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
			AtomicInteger flagged = new AtomicInteger();
			List<Connection> taken = takeAll(connections);
			Thread caller = new Thread(() -> {
				try {
					jobs.run(1);
				}
				catch (Throwable ex) {
					failure.set(ex);
				}
				flagged.set(Thread.currentThread().isInterrupted() ? 1 : -1);
			});
			caller.start();
			await().until(() -> isWaitingForAConnection(caller));
			caller.interrupt();
			caller.join();
			assertThat(jobs.runs()).as("ran without its lock").hasValue(0);
			assertThat(failure.get()).isInstanceOf(LockInterruptedException.class);
			assertThat(flagged).hasValue(1);
			close(taken);
			jobs.run(1);
			assertThat(jobs.runs()).hasValue(1);
		});
	}

	/**
	 * The policy is active: a pool that stays empty counts as a database that is down.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "own", "shared" })
	void callerThatIsNotInterruptedProceeds(String pool) {
		run(pool, Duration.ofSeconds(3), (jobs, connections) -> {
			List<Connection> taken = takeAll(connections);
			jobs.run(1);
			assertThat(jobs.runs()).hasValue(1);
			close(taken);
		});
	}

	private static boolean isWaitingForAConnection(Thread caller) {
		return caller.getState() == Thread.State.TIMED_WAITING && Arrays.stream(caller.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().startsWith("com.zaxxer.hikari"));
	}

	private static List<Connection> takeAll(HikariDataSource connections) throws Exception {
		List<Connection> taken = new ArrayList<>();
		for (int i = connections.getMaximumPoolSize(); i > 0; i--) {
			taken.add(connections.getConnection());
		}
		return taken;
	}

	private static void close(List<Connection> taken) throws Exception {
		for (Connection connection : taken) {
			connection.close();
		}
	}

	private static void run(String pool, Duration callTimeout, Scenario scenario) {
		ApplicationContextRunner runner = Leasehold.runner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
			.withUserConfiguration(Jobs.class)
			.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
					"spring.datasource.hikari.maximum-pool-size=1",
					"spring.datasource.hikari.connection-timeout=" + callTimeout.toMillis(), "leasehold.lease=5m",
					"leasehold.when-unavailable=proceed", "leasehold.jdbc.call-timeout=" + callTimeout);
		if (pool.equals("shared")) {
			runner = runner.withPropertyValues("leasehold.jdbc.data-source=dataSource");
		}
		runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.run(1);
			jobs.runs().set(0);
			scenario.run(jobs, (HikariDataSource) context.getBean(JdbcConnections.class).dataSource());
		});
	}

	interface Scenario {

		void run(Jobs jobs, HikariDataSource connections) throws Exception;

	}

	static class Jobs {

		private final AtomicInteger runs = new AtomicInteger();

		@DistributedLock(key = "'job:' + #id", waitTime = "0s")
		public void run(int id) {
			this.runs.incrementAndGet();
		}

		AtomicInteger runs() {
			return this.runs;
		}

	}

}
