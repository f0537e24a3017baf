package io.leasehold.engine.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Session}, on H2.
 */
class JdbcSessionTests {

	private static final Duration CALL = Duration.ofMinutes(1);

	private static final Runnable NONE = () -> {
	};

	private static final JdbcSettings SETTINGS = H2Memory.settings(CALL);

	/** Saves the usual setting, as on MySQL. */
	private static final Dialect CLOSING = new MySqlDialect() {

		@Override
		protected String closeWhenIdle(Duration idle) {
			return "SELECT SET(@usual, COALESCE(@closing, 0)), SET(@closing, 1)";
		}

		@Override
		protected String keepWhenIdle() {
			return "SET @closing = @usual";
		}

	};

	private final JdbcConnections connections = H2Memory.open(2, CALL);

	private final JdbcLockEngine engine = new JdbcLockEngine(this.connections, SETTINGS, MonotonicClock.SYSTEM);

	/** H2 has no network timeout. */
	private final AtomicInteger networkTimeout = new AtomicInteger(1234);

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void grantOnAConnectionWithoutAutoCommitIsVisibleToOthers() {
		JdbcLockEngine other = new JdbcLockEngine(
				JdbcConnections.of(new DelegatingDataSource(this.connections.dataSource()) {

					@Override
					public Connection getConnection() throws SQLException {
						Connection connection = super.getConnection();
						connection.setAutoCommit(false);
						return connection;
					}

				}), SETTINGS, MonotonicClock.SYSTEM);
		Claim claim = new Claim(new LockKey("a"), Member.of("shop").newOwner(), CALL, Duration.ZERO, false,
				System.nanoTime());
		assertThat(other.tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Granted.class);
		assertThat(this.engine.inspect(claim.key())).hasSize(1);
	}

	@Test
	void networkTimeoutIsTheRestOfTheCallAndIsRestored() throws SQLException {
		try (Session session = session(Duration.ofSeconds(50))) {
			assertThat(this.networkTimeout).as("before the first statement").hasValue(1234);
			session.connection();
			assertThat(this.networkTimeout.get()).isBetween(1, 50_000).isNotEqualTo(1234);
		}
		assertThat(this.networkTimeout).hasValue(1234);
	}

	@Test
	void callWithoutAWholeMillisecondSendsNothing() throws SQLException {
		try (Session session = session(Duration.ofNanos(999_999))) {
			assertThatExceptionOfType(SQLTimeoutException.class).isThrownBy(session::connection);
			assertThat(this.networkTimeout).hasValue(1234);
		}
	}

	@Test
	void rowIsWaitedForThreeQuartersOfTheRestButNoLongerThanTheKindOfCallAllows() throws SQLException {
		try (Session brief = session(Duration.ofSeconds(40));
				Session late = session(Duration.ZERO);
				Session patient = session(Duration.ofHours(1))) {
			assertThat(brief.lockTimeout()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(30));
			assertThat(patient.lockTimeout()).isEqualTo(CALL);
			assertThat(late.lockTimeout()).isEqualTo(Duration.ofMillis(1));
		}
	}

	@Test
	void transactionWithoutResultIsRolledBackAndEnded() throws SQLException {
		try (Session session = session(CALL)) {
			session.execute("CREATE TABLE changed (id INT)");
			Integer result = session.inTransaction(() -> {
				session.execute("INSERT INTO changed VALUES (1)");
				return null;
			});
			assertThat(result).isNull();
			assertThat(session.connection().getAutoCommit()).isTrue();
			try (Statement statement = session.connection().createStatement();
					ResultSet rows = statement.executeQuery("SELECT * FROM changed")) {
				assertThat(rows.next()).isFalse();
			}
		}
	}

	@Test
	void closedSessionMakesRoomForTheNext() throws SQLException {
		this.connections.open(CallKind.CLOSE, in(CALL), CALL).close();
		try (Session next = this.connections.open(CallKind.CLOSE, in(CALL), CALL)) {
			next.execute("CREATE TABLE roomy (id INT)");
			assertThatExceptionOfType(SQLTransientConnectionException.class)
				.isThrownBy(() -> this.connections.open(CallKind.CLOSE, in(CALL), CALL));
		}
	}

	@Test
	void databaseWaitsForARowNoLongerThanTheRestOfTheCall() throws SQLException {
		H2Dialect dialect = new H2Dialect();
		try (Session session = this.connections.open(CallKind.ACQUIRE, in(Duration.ofSeconds(40)), CALL)) {
			session.limitWaiting(dialect);
			assertThat(lockTimeout(session)).isBetween(1L, 30_000L);
		}
		try (Session session = this.connections.open(CallKind.ACQUIRE, in(CALL), CALL)) {
			assertThat(lockTimeout(session)).as("of the connection").isEqualTo(45_000);
			session.limitWaiting(dialect);
			assertThat(lockTimeout(session)).as("of a call with almost all of its time").isEqualTo(45_000);
		}
	}

	@Test
	void callThatRanOutOfTimeLeavesTheUsualWaitToTheNext() throws SQLException {
		long deadline = in(Duration.ofSeconds(4));
		try (Session session = this.connections.open(CallKind.ACQUIRE, deadline, CALL)) {
			session.limitWaiting(new H2Dialect());
			assertThat(lockTimeout(session)).isLessThan(45_000);
			await().until(() -> System.nanoTime() - deadline > 0);
		}
		try (Session next = this.connections.open(CallKind.ACQUIRE, in(CALL), CALL)) {
			assertThat(lockTimeout(next)).isEqualTo(45_000);
		}
	}

	@Test
	void connectionWhoseUsualWaitCannotBeRestoredIsAborted() throws SQLException {
		AtomicInteger aborts = new AtomicInteger();
		try (Connection connection = this.connections.dataSource().getConnection()) {
			Session session = new Session(intercepted(connection, (method) -> {
				if (method.equals("createStatement")) {
					throw new SQLException("broken");
				}
				if (method.equals("abort")) {
					aborts.incrementAndGet();
				}
			}), NONE, in(Duration.ofSeconds(40)), CALL, Duration.ofSeconds(45));
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> session.limitWaiting(new H2Dialect()));
			session.close();
		}
		assertThat(aborts).hasValue(1);
	}

	@Test
	void failedTransactionLeavesItsIdleTimeoutToNoOther() throws SQLException {
		try (Connection connection = this.connections.dataSource().getConnection()) {
			SQLException deadlock = new SQLException("deadlock", "40001", 1213);
			try (Session session = new Session(unclosed(connection), NONE, in(CALL), CALL, null)) {
				assertThatExceptionOfType(SQLException.class)
					.isThrownBy(() -> new Sql(CLOSING, SETTINGS).inTransaction(session, () -> {
						assertThat(closesWhenIdle(connection)).isTrue();
						throw deadlock;
					}))
					.isSameAs(deadlock);
			}
			assertThat(closesWhenIdle(connection)).isFalse();
		}
	}

	@Test
	void secondTransactionOfACallRestoresTheIdleTimeoutFromBeforeTheFirst() throws SQLException {
		try (Connection connection = this.connections.dataSource().getConnection()) {
			Sql sql = new Sql(CLOSING, SETTINGS);
			try (Session session = new Session(unclosed(connection), NONE, in(CALL), CALL, null)) {
				for (int i = 0; i < 2; i++) {
					sql.inTransaction(session, () -> {
						assertThat(closesWhenIdle(connection)).isTrue();
						return true;
					});
				}
			}
			assertThat(closesWhenIdle(connection)).isFalse();
		}
	}

	@Test
	void transactionThatRanOutOfTimeLeavesItsIdleTimeoutToNoOther() throws SQLException {
		AtomicInteger aborts = new AtomicInteger();
		long deadline = in(Duration.ofSeconds(4));
		try (Connection connection = this.connections.dataSource().getConnection()) {
			try (Session session = new Session(intercepted(unclosed(connection), (method) -> {
				if (method.equals("abort")) {
					aborts.incrementAndGet();
				}
			}), NONE, deadline, CALL, null)) {
				assertThatExceptionOfType(SQLTimeoutException.class)
					.isThrownBy(() -> new Sql(CLOSING, SETTINGS).inTransaction(session, () -> {
						assertThat(closesWhenIdle(connection)).isTrue();
						await().until(() -> System.nanoTime() - deadline > 0);
						return true;
					}));
			}
			assertThat(aborts).hasValue(1);
			assertThat(closesWhenIdle(connection)).isFalse();
		}
	}

	@Test
	void connectionThatCannotBeReturnedOccupiesNoLane() throws Exception {
		AtomicInteger left = new AtomicInteger();
		try (Connection connection = this.connections.dataSource().getConnection()) {
			new Session(intercepted(connection, (method) -> {
				if (method.equals("close")) {
					throw new SQLException("broken");
				}
			}), left::incrementAndGet, in(CALL), CALL, null).close();
		}
		assertThat(left).hasValue(1);
	}

	private static long lockTimeout(Session session) throws SQLException {
		try (Statement statement = session.connection().createStatement();
				ResultSet rows = statement.executeQuery("CALL LOCK_TIMEOUT()")) {
			rows.next();
			return rows.getLong(1);
		}
	}

	private static boolean closesWhenIdle(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT @closing")) {
			rows.next();
			return rows.getInt(1) > 0;
		}
	}

	private static long in(Duration left) {
		return System.nanoTime() + left.toNanos();
	}

	private Session session(Duration left) throws SQLException {
		return JdbcConnections.of(new DelegatingDataSource(this.connections.dataSource()) {

			@Override
			public Connection getConnection() throws SQLException {
				return withNetworkTimeout(super.getConnection());
			}

		}).open(CallKind.ACQUIRE, in(left), CALL);
	}

	/** Return a connection that stays open when its session is closed. */
	private static Connection unclosed(Connection target) throws SQLException {
		return new SingleConnectionDataSource(target, true).getConnection();
	}

	private static Connection intercepted(Connection target, Interceptor interceptor) {
		return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					interceptor.called(method.getName());
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private Connection withNetworkTimeout(Connection target) {
		return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("getNetworkTimeout")) {
						return this.networkTimeout.get();
					}
					if (method.getName().equals("setNetworkTimeout")) {
						this.networkTimeout.set((Integer) arguments[1]);
						return null;
					}
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	/** Called before each method of a connection. */
	private interface Interceptor {

		void called(String method) throws SQLException;

	}

}
