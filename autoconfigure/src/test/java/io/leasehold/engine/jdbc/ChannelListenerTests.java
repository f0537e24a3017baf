package io.leasehold.engine.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

import org.springframework.jdbc.datasource.AbstractDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link ChannelListener} and {@link WakeUps} without a database.
 */
class ChannelListenerTests {

	@Test
	void pausesBetweenAttemptsBecomeLongerUpToALimit() {
		Stream<Duration> pauses = Stream.iterate(Duration.ofMillis(250), ChannelListener::longer).limit(12);
		assertThat(pauses.map(Duration::toMillis)).containsExactly(250L, 500L, 1000L, 2000L, 4000L, 8000L, 16_000L,
				32_000L, 60_000L, 60_000L, 60_000L, 60_000L);
	}

	@Test
	void unreachableDatabaseIsConnectedAgainAfterEachPause() {
		UnreachableDatabase database = new UnreachableDatabase();
		ChannelListener listener = listener(database);
		try (listener) {
			await().until(() -> database.attempts.size() >= 3);
		}
		Duration pauses = Duration.ofNanos(database.attempts.get(2) - database.attempts.get(0));
		assertThat(pauses).isGreaterThan(Duration.ofMillis(500));
	}

	/** Otherwise the listener would connect four times a second. */
	@Test
	void databaseThatCutsEachConnectionIsConnectedAfterLongerPauses() {
		CuttingDatabase database = new CuttingDatabase();
		ChannelListener listener = listener(database);
		try (listener) {
			await().until(() -> database.attempts.size() >= 4);
		}
		Duration pauses = Duration.ofNanos(database.attempts.get(3) - database.attempts.get(0));
		assertThat(pauses).isGreaterThan(Duration.ofMillis(1700));
	}

	@Test
	void listenerGoesOnAfterAnUncheckedException() {
		UnreachableDatabase database = new UnreachableDatabase() {
			@Override
			public Connection getConnection() {
				this.attempts.add(System.nanoTime());
				throw new IllegalStateException("the driver failed");
			}
		};
		ChannelListener listener = listener(database);
		try (listener) {
			await().until(() -> database.attempts.size() >= 2);
		}
	}

	/** No response arrives, as in a network that loses everything. */
	@Test
	void closeEndsARequestWithoutAResponse() throws Exception {
		SilentDatabase database = new SilentDatabase();
		ChannelListener listener = listener(database);
		database.asked.await();
		assertThat(database.caller.isAlive()).isTrue();
		listener.close();
		database.caller.join(Duration.ofMinutes(1).toMillis());
		assertThat(database.caller.isAlive()).isFalse();
	}

	/** Gates read it under their monitor. */
	@Test
	void questionWhetherNotificationsArriveStartsNothing() {
		UnreachableDatabase database = new UnreachableDatabase();
		try (WakeUps wakeUps = new WakeUps(database, "channel", (payload) -> false)) {
			Set<Thread> before = listeners();
			assertThat(wakeUps.isProven()).isFalse();
			assertThat(listeners()).isSubsetOf(before);
			wakeUps.prove();
			await().until(() -> !database.attempts.isEmpty());
			assertThat(wakeUps.isProven()).isFalse();
		}
	}

	/** The driver starts a thread for each connection. */
	@Fault(185)
	@Test
	void listenerSurvivesAMomentWithoutAThreadForTheDriver() {
		AtomicInteger failures = new AtomicInteger();
		CuttingDatabase exhausted = new CuttingDatabase() {

			@Override
			public Connection getConnection() {
				if (failures.getAndIncrement() < 2) {
					throw new OutOfMemoryError("unable to create native thread");
				}
				return super.getConnection();
			}

		};
		ChannelListener listener = listener(exhausted);
		try (listener) {
			await().until(() -> exhausted.attempts.size() > 1);
		}
	}

	private static ChannelListener listener(DataSource database) {
		ChannelListener listener = new WakeUps(database, "channel", (payload) -> false);
		listener.start();
		return listener;
	}

	private static Set<Thread> listeners() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leasehold-jdbc-listen"))
			.collect(Collectors.toSet());
	}

	private static <T> T proxy(Class<T> type, Response response) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> response.to(method.getName())));
	}

	/** Database that accepts connections and never responds. */
	private static class SilentDatabase extends AbstractDataSource {

		private final CountDownLatch asked = new CountDownLatch(1);

		private final CountDownLatch aborted = new CountDownLatch(1);

		private volatile Thread caller;

		@Override
		public Connection getConnection() {
			return proxy(Connection.class, (method) -> switch (method) {
				case "createStatement" -> proxy(Statement.class, this::execute);
				case "abort" -> {
					this.aborted.countDown();
					yield null;
				}
				default -> null;
			});
		}

		private Object execute(String method) throws Exception {
			if (method.equals("execute")) {
				this.caller = Thread.currentThread();
				this.asked.countDown();
				this.aborted.await();
				throw new SQLException("aborted");
			}
			return null;
		}

		@Override
		public Connection getConnection(String username, String password) {
			return getConnection();
		}

	}

	private interface Response {

		Object to(String method) throws Exception;

	}

	/** Database that begins to notify each connection, and breaks it at once. */
	private static class CuttingDatabase extends UnreachableDatabase {

		@Override
		public Connection getConnection() {
			this.attempts.add(System.nanoTime());
			return proxy(Connection.class, (method) -> switch (method) {
				case "createStatement" -> proxy(Statement.class, (call) -> call.equals("execute") ? false : null);
				case "unwrap" -> proxy(PGConnection.class, (call) -> {
					throw new SQLException("broken");
				});
				default -> null;
			});
		}

	}

	private static class UnreachableDatabase extends AbstractDataSource {

		final List<Long> attempts = new CopyOnWriteArrayList<>();

		@Override
		public Connection getConnection() throws SQLException {
			this.attempts.add(System.nanoTime());
			throw new SQLException("unreachable");
		}

		@Override
		public Connection getConnection(String username, String password) throws SQLException {
			return getConnection();
		}

	}

}
