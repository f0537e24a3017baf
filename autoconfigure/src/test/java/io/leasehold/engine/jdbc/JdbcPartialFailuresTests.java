package io.leasehold.engine.jdbc;

import io.leasehold.test.contract.Terms;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import org.h2.api.Trigger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for calls that fail in the middle: an error of the driver, such as for lack of
 * memory, and a statement that changed some of its rows. On H2, which commits these.
 */
class JdbcPartialFailuresTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	private static final Duration CALL = Duration.ofMinutes(1);

	private final Member member = Member.of("shop");

	private final String url = "jdbc:h2:mem:" + UUID.randomUUID();

	private final JdbcConnections connections = H2Memory.open(this.url, 4, CALL);

	private final StatementLog statements = new StatementLog(this.connections.dataSource());

	private final JdbcLockEngine engine = engine(JdbcConnections.of(this.statements));

	static List<Access> accesses() {
		return List.of(Access.EXCLUSIVE, Access.SHARED);
	}

	@AfterEach
	void close() {
		this.engine.close();
		this.connections.close();
	}

	@ParameterizedTest
	@MethodSource("accesses")
	void releaseThatIsRepeatedAfterAnErrorLeavesNothing(Access access) {
		Claim claim = claim("a", access);
		granted(claim);
		JdbcLockEngine direct = engine(this.connections);
		this.statements.before("leasehold_lock", () -> {
			assertThat(direct.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
			throw new OutOfMemoryError("while the response was read");
		});
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.engine.release(claim));
		assertThat(this.engine.inspect(claim.key())).isEmpty();
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	@ParameterizedTest
	@MethodSource("accesses")
	void errorDuringAReleaseLeavesNoClaim(Access access) {
		Claim claim = claim("a", access);
		granted(claim);
		this.statements.before("leasehold_lock", () -> {
			throw new OutOfMemoryError("before the request was sent");
		});
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.engine.release(claim));
		assertThat(this.engine.inspect(claim.key())).hasSize(1);
		assertThat(this.engine.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		granted(claim("a", Access.permits(1)));
	}

	/** Not every pool rolls back what was left open. */
	@Test
	void errorInATransactionRollsItBack() throws SQLException {
		try (Connection connection = this.statements.getConnection()) {
			JdbcLockEngine single = engine(JdbcConnections.of(new SingleConnectionDataSource(connection, true)));
			this.statements.before("INSERT INTO leasehold_lock_holder", () -> {
				throw new OutOfMemoryError("before the holder was inserted");
			});
			Claim failed = claim("a", Access.SHARED);
			assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> single.tryAcquire(failed));
			assertThat(connection.getAutoCommit()).isTrue();
			assertThat(number("SELECT MAX(shared_until) FROM leasehold_lock")).isZero();
			granted(claim("a", Access.EXCLUSIVE));
		}
	}

	@Test
	void errorAtTheStartOfACallLeavesNoConnectionOpen() {
		HikariDataSource pool = (HikariDataSource) this.connections.dataSource();
		JdbcLockEngine failing = engine(JdbcConnections.of(new DelegatingDataSource(pool) {

			@Override
			public Connection getConnection() throws SQLException {
				return failingAt("getNetworkTimeout", super.getConnection());
			}

		}));
		assertThatExceptionOfType(OutOfMemoryError.class)
			.isThrownBy(() -> failing.tryAcquire(claim("a", Access.EXCLUSIVE)));
		assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
	}

	private static Connection failingAt(String name, Connection target) {
		return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
					if (method.getName().equals(name)) {
						throw new OutOfMemoryError(name);
					}
					try {
						return method.invoke(target, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@Test
	void releaseOfAClaimThatWasNeverGrantedReportsNoneAfterItsLateRequests() {
		Duration call = Duration.ofSeconds(3);
		JdbcLockEngine brief = new JdbcLockEngine(JdbcConnections.of(this.statements), settings(call),
				MonotonicClock.SYSTEM);
		Claim claim = claim("a", Access.EXCLUSIVE);
		this.statements.before("leasehold_lock", () -> {
			throw new LockEngineException(claim.key(), "The request is late", null);
		});
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> brief.tryAcquire(claim));
		assertThat(JdbcLockFaultsTests.releasedAtLast(brief, claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	/** The insertion may be that of the claim. */
	@Test
	void releaseBehindAnInsertionWaitsForItsCommit() throws Exception {
		Claim claim = claim("a", Access.EXCLUSIVE);
		granted(claim);
		execute("CREATE TABLE inserted AS SELECT * FROM leasehold_lock");
		execute("DELETE FROM leasehold_lock");
		LockTables tables = LockTables.of(new H2Dialect(), settings(CALL), null);
		RowId id = RowId.of("ns", claim.key());
		try (Connection connection = this.connections.dataSource().getConnection();
				Statement statement = connection.createStatement();
				Session session = this.connections.open(CallKind.CLOSE, System.nanoTime() + CALL.toNanos(), CALL)) {
			connection.setAutoCommit(false);
			statement.execute("INSERT INTO leasehold_lock SELECT * FROM inserted");
			CompletableFuture<Long> freed = JdbcLockFaultsTests.later(() -> tables.rows()
				.afterRequests(session, id, claim.key(),
						() -> tables.exclusive().free(session, id, claim.owner().token())));
			await().until(() -> freed.isDone() || number("SELECT COUNT(*) FROM information_schema.sessions "
					+ "WHERE executing_statement LIKE 'SELECT grant_number FROM FINAL TABLE (INSERT%'") == 1);
			connection.commit();
			assertThat(freed.get(1, TimeUnit.MINUTES)).isZero();
		}
		assertThat(this.engine.inspect(claim.key())).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("accesses")
	void keyThatAnotherInsertsMeanwhileIsBusy(Access access) throws SQLException {
		Claim first = claim("a", Access.permits(1));
		execute("CREATE TRIGGER overtaking BEFORE INSERT ON leasehold_lock FOR EACH ROW CALL '%s'"
			.formatted(Overtaking.class.getName()));
		Overtaking.next.set(() -> granted(first));
		assertThat(this.engine.tryAcquire(claim("a", access))).isInstanceOf(AcquisitionOutcome.Busy.class);
		assertThat(Overtaking.next).as("inserted before").hasNullValue();
		assertThat(this.engine.inspect(first.key())).hasSize(1);
		assertThat(this.engine.release(first)).isInstanceOf(ReleaseOutcome.Released.class);
	}

	/**
	 * Renewals whose statement is canceled after it has changed some of its rows are
	 * unknown. No lock disappears, and no holder believes in a longer lease than the
	 * database has.
	 */
	@ParameterizedTest
	@MethodSource("accesses")
	void renewalThatIsCanceledBetweenItsRowsLosesNoLock(Access access) throws SQLException {
		Map<Renewal, Long> believed = new LinkedHashMap<>();
		for (int i = 0; i < 140; i++) {
			Claim claim = claim("held " + i, access);
			AcquisitionOutcome.Granted granted = granted(claim);
			believed.put(new Renewal(claim, granted.number(), LEASE), granted.validUntil());
		}
		List<Renewal> renewals = List.copyOf(believed.keySet());
		String table = access.equals(Access.EXCLUSIVE) ? "leasehold_lock" : "leasehold_lock_holder";
		execute("CREATE TRIGGER canceling BEFORE UPDATE ON %s FOR EACH ROW CALL '%s'".formatted(table,
				Canceling.class.getName()));
		Canceling.url = this.url;
		Canceling.rows.set(135);
		assertThat(kinds(this.engine.renew(renewals))).as("%s, %s rows left", access, Canceling.rows)
			.containsOnly(RenewalOutcome.Unknown.class);
		assertThat(Canceling.rows).as("rows before the cancellation").hasNonPositiveValue();
		assertNoHolderBelievesTooLong(believed);
		execute("DROP TRIGGER canceling");
		List<RenewalOutcome> outcomes = this.engine.renew(renewals);
		assertThat(kinds(outcomes)).containsOnly(RenewalOutcome.Renewed.class);
		for (int i = 0; i < 140; i++) {
			believed.put(renewals.get(i), ((RenewalOutcome.Renewed) outcomes.get(i)).validUntil());
		}
		assertNoHolderBelievesTooLong(believed);
	}

	private static Set<Class<?>> kinds(List<RenewalOutcome> outcomes) {
		return outcomes.stream().map(Object::getClass).collect(Collectors.toSet());
	}

	private void assertNoHolderBelievesTooLong(Map<Renewal, Long> believed) {
		believed.forEach((renewal, validUntil) -> {
			Claim claim = renewal.claim();
			assertThat(this.engine.inspect(claim.key())).as("%s", claim.key()).singleElement().satisfies((holder) -> {
				assertThat(holder.number()).isEqualTo(renewal.number());
				assertThat(holder.remaining()).isGreaterThan(Duration.ofNanos(validUntil - System.nanoTime()));
			});
		});
	}

	private JdbcLockEngine engine(JdbcConnections connections) {
		return new JdbcLockEngine(connections, settings(CALL), MonotonicClock.SYSTEM);
	}

	private static JdbcSettings settings(Duration call) {
		return new JdbcSettings("ns", JdbcSettings.DEFAULT_TABLE, call, Duration.ofMillis(5), Duration.ofMillis(100),
				Duration.ofDays(7), true);
	}

	private Claim claim(String key, Access access) {
		return new Claim(new LockKey(key), this.member.newOwner(),
				Terms.of(access, LEASE, Duration.ZERO, Duration.ZERO), false, System.nanoTime());
	}

	private AcquisitionOutcome.Granted granted(Claim claim) {
		AcquisitionOutcome attempt = this.engine.tryAcquire(claim);
		assertThat(attempt).isInstanceOf(AcquisitionOutcome.Granted.class);
		return (AcquisitionOutcome.Granted) attempt;
	}

	private long number(String sql) throws SQLException {
		try (Connection connection = this.connections.dataSource().getConnection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery(sql)) {
			assertThat(rows.next()).isTrue();
			return rows.getLong(1);
		}
	}

	private void execute(String sql) throws SQLException {
		try (Connection connection = this.connections.dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/** Runs something before a row is inserted. */
	public static final class Overtaking implements Trigger {

		private static final AtomicReference<@Nullable Runnable> next = new AtomicReference<>();

		@Override
		public void fire(Connection connection, Object[] before, Object[] after) {
			Runnable action = next.getAndSet(null);
			if (action != null) {
				action.run();
			}
		}

	}

	/** Cancels its statement at one of its rows. H2 obeys after every 128th row. */
	public static final class Canceling implements Trigger {

		private static final AtomicInteger rows = new AtomicInteger();

		private static volatile String url = "";

		@Override
		public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
			if (rows.decrementAndGet() == 0) {
				try (Connection operator = DriverManager.getConnection(url);
						Statement statement = operator.createStatement();
						ResultSet canceled = statement
							.executeQuery("SELECT CANCEL_SESSION(session_id) FROM information_schema.sessions "
									+ "WHERE executing_statement LIKE 'SELECT owner FROM FINAL TABLE%'")) {
					assertThat(canceled.next()).isTrue();
				}
			}
		}

	}

}
