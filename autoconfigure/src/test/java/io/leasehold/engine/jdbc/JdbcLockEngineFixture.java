package io.leasehold.engine.jdbc;

import java.net.URL;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Terms;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Engine on some database, for tests of what it does on each of them.
 */
abstract class JdbcLockEngineFixture {

	static final Duration LEASE = Duration.ofSeconds(30);

	static final Duration SHORT = Duration.ofMillis(300);

	/** Grants that a test of a contended key is to see, however slow the machine is. */
	static final int ENOUGH = 20;

	static final Duration POLL_MIN = Duration.ofMillis(5);

	static final Duration LONG_POLL = Duration.ofSeconds(10);

	static final String OURS = "UPDATE leasehold_lock SET %s WHERE namespace = '%s'";

	static final String OUR_HOLDERS = "UPDATE leasehold_lock_holder SET %s "
			+ "WHERE lock_id IN (SELECT id FROM leasehold_lock WHERE namespace = '%s')";

	final Member member = Member.of("shop");

	final Member other = Member.of("office");

	final String namespace = "ns-" + UUID.randomUUID();

	private final List<JdbcLockEngine> engines = new ArrayList<>();

	JdbcConnections connections;

	StatementLog statements;

	JdbcLockEngine engine;

	/** URL of the database, with user and password. */
	abstract String url();

	/** Name of the platform, as in the location of the table's script. */
	abstract String platform();

	@BeforeEach
	void open() {
		this.connections = connect(url(), 8, Duration.ofSeconds(20));
		this.statements = new StatementLog(this.connections.dataSource());
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location(platform())))
			.execute(this.connections.dataSource());
		this.engine = engine(settings(Duration.ofSeconds(5)));
	}

	@AfterEach
	void close() {
		this.engines.forEach(JdbcLockEngine::close);
		this.connections.close();
	}

	static JdbcConnections connect(String url, int size, Duration callTimeout) {
		return JdbcConnections.open(url, null, null, null, size, callTimeout);
	}

	final JdbcSettings settings(Duration callTimeout) {
		return settings(JdbcSettings.DEFAULT_TABLE, callTimeout);
	}

	final JdbcSettings settings(String table, Duration callTimeout) {
		return settings(this.namespace, table, callTimeout, Duration.ofMillis(100));
	}

	static JdbcSettings settings(String namespace, String table, Duration callTimeout, Duration pollMax) {
		return new JdbcSettings(namespace, table, callTimeout, POLL_MIN, pollMax, Duration.ofDays(7), true);
	}

	final JdbcLockEngine engine(JdbcSettings settings) {
		return engine(settings, MonotonicClock.SYSTEM);
	}

	final JdbcLockEngine engine(JdbcSettings settings, MonotonicClock clock) {
		JdbcLockEngine engine = new JdbcLockEngine(JdbcConnections.of(this.statements), settings, clock);
		this.engines.add(engine);
		return engine;
	}

	/** An engine whose marks last long enough to be looked at. */
	final JdbcLockEngine patientEngine() {
		return engine(settings(this.namespace, JdbcSettings.DEFAULT_TABLE, Duration.ofSeconds(5), LONG_POLL));
	}

	final JdbcLockEngine stranger() {
		return engine(settings(this.namespace + "x", JdbcSettings.DEFAULT_TABLE, Duration.ofSeconds(5), LONG_POLL));
	}

	final Claim claim(String key) {
		return claim(key, LEASE, Duration.ZERO);
	}

	final Claim claim(String key, Duration lease, Duration minHold) {
		return new Claim(new LockKey(key), this.member.newOwner(), lease, minHold, false, System.nanoTime());
	}

	static Claim waiting(Member member, String key, Duration since) {
		return new Claim(new LockKey(key), member.newOwner(), LEASE, Duration.ZERO, true,
				System.nanoTime() - since.toNanos());
	}

	final AcquisitionOutcome.Granted granted(Claim claim) {
		return granted(this.engine, claim);
	}

	static AcquisitionOutcome.Granted granted(JdbcLockEngine engine, Claim claim) {
		AcquisitionOutcome attempt = engine.tryAcquire(claim);
		assertThat(attempt).as(claim.key().value()).isInstanceOf(AcquisitionOutcome.Granted.class);
		return (AcquisitionOutcome.Granted) attempt;
	}

	final AcquisitionOutcome.Granted grantedAtLast(Claim claim) {
		return (AcquisitionOutcome.Granted) await().pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> this.engine.tryAcquire(claim), AcquisitionOutcome.Granted.class::isInstance);
	}

	final AcquisitionOutcome.Busy busy(Claim claim) {
		return busy(this.engine, claim);
	}

	static AcquisitionOutcome.Busy busy(JdbcLockEngine engine, Claim claim) {
		AcquisitionOutcome attempt = engine.tryAcquire(claim);
		assertThat(attempt).as(claim.key().value()).isInstanceOf(AcquisitionOutcome.Busy.class);
		return (AcquisitionOutcome.Busy) attempt;
	}

	final void release(Claim claim) {
		assertThat(this.engine.release(claim)).as("release of %s", claim.access())
			.isInstanceOf(ReleaseOutcome.Released.class);
	}

	/**
	 * Release a claim, and return how long its process lets another one acquire the key.
	 */
	static Duration standBack(JdbcLockEngine engine, Claim claim) {
		ReleaseOutcome outcome = engine.release(claim);
		assertThat(outcome).isInstanceOf(ReleaseOutcome.Released.class);
		return ((ReleaseOutcome.Released) outcome).standBack();
	}

	final RenewalOutcome renew(Claim claim, long number, Duration lease) {
		return renew(this.engine, claim, number, lease);
	}

	static RenewalOutcome renew(JdbcLockEngine engine, Claim claim, long number) {
		return renew(engine, claim, number, LEASE);
	}

	static RenewalOutcome renew(JdbcLockEngine engine, Claim claim, long number, Duration lease) {
		return engine.renew(List.of(new Renewal(claim, number, lease))).get(0);
	}

	final void age(Duration by) throws SQLException {
		execute("UPDATE leasehold_lock SET owner = NULL, expires_at = expires_at - %d WHERE namespace = '%s'"
			.formatted(Sql.micros(by), this.namespace));
	}

	final long rows() throws SQLException {
		return number("SELECT COUNT(*) FROM leasehold_lock WHERE namespace = '%s'".formatted(this.namespace));
	}

	final Duration remaining(String key) throws SQLException {
		long end = number("SELECT expires_at FROM leasehold_lock WHERE namespace = '%s' AND lock_key = '%s'"
			.formatted(this.namespace, key));
		return Duration.ofNanos(1000 * (end - databaseClock()));
	}

	final List<Object> row(String key) throws SQLException {
		try (Connection connection = connection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement
					.executeQuery("SELECT * FROM leasehold_lock WHERE namespace = '%s' AND lock_key = '%s'"
						.formatted(this.namespace, key))) {
			assertThat(rows.next()).isTrue();
			List<Object> values = new ArrayList<>();
			for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
				Object value = rows.getObject(i);
				values.add((value instanceof byte[] bytes) ? Arrays.toString(bytes) : value);
			}
			return values;
		}
	}

	final long databaseClock() throws SQLException {
		try (Connection connection = connection()) {
			return number("SELECT " + Dialects.of(connection).now());
		}
	}

	final long number(String sql) throws SQLException {
		try (Connection connection = connection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery(sql)) {
			assertThat(rows.next()).isTrue();
			return rows.getLong(1);
		}
	}

	final void execute(String sql) throws SQLException {
		try (Connection connection = connection(); Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
	}

	final Connection connection() throws SQLException {
		return this.connections.dataSource().getConnection();
	}

	/** New connections see the lease of five minutes as it is. */
	final void assertSameTimesElsewhere(Claim claim) {
		try (JdbcLockEngine there = new JdbcLockEngine(connect(url(), 2, Duration.ofSeconds(5)),
				settings(Duration.ofSeconds(5)), MonotonicClock.SYSTEM)) {
			assertThat(there.tryAcquire(claim(claim.key().value()))).isInstanceOf(AcquisitionOutcome.Busy.class);
			assertThat(there.inspect(claim.key())).singleElement()
				.extracting(Holder::remaining, InstanceOfAssertFactories.DURATION)
				.satisfies((rest) -> assertThat(rest).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5)));
		}
	}

	static void inParallel(int threads, Callable<Void> task) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			for (Future<Void> result : executor.invokeAll(Collections.nCopies(threads, task))) {
				result.get();
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

	final Claim shared(String key) {
		return claim(key, Access.SHARED);
	}

	final Claim claim(String key, Access access) {
		return claim(key, access, LEASE, Duration.ZERO, Duration.ZERO);
	}

	final Claim claim(String key, Access access, Duration lease, Duration minHold, Duration lockDelay) {
		return new Claim(new LockKey(key), this.member.newOwner(), Terms.of(access, lease, minHold, lockDelay), false,
				System.nanoTime());
	}

	/** A claim that has waited for long, so that its marks last as long as they can. */
	static Claim waiting(Member member, String key, Access access) {
		return new Claim(new LockKey(key), member.newOwner(), Terms.of(access, LEASE, Duration.ZERO, Duration.ZERO),
				true, System.nanoTime() - Duration.ofMinutes(1).toNanos());
	}

	/** Let time pass for all rows and holders. */
	final void passBy(Duration time) throws SQLException {
		long micros = Sql.micros(time);
		execute(OURS.formatted(("expires_at = expires_at - %1$d, closed_until = closed_until - %1$d, "
				+ "shared_until = CASE WHEN shared_until = 0 THEN 0 ELSE shared_until - %1$d END")
			.formatted(micros), this.namespace));
		execute(OUR_HOLDERS.formatted(
				"expires_at = expires_at - %1$d, closed_until = closed_until - %1$d".formatted(micros),
				this.namespace));
	}

	final void expireHolders() throws SQLException {
		execute(OUR_HOLDERS.formatted("expires_at = 1", this.namespace));
		execute(OURS.formatted("shared_until = GREATEST(COALESCE((SELECT MAX(h.closed_until) FROM "
				+ "leasehold_lock_holder h WHERE h.lock_id = id), 0), 1)", this.namespace));
	}

	final void expireOwners() throws SQLException {
		execute(OURS.formatted("expires_at = 1", this.namespace));
	}

	final long holders() throws SQLException {
		return number("SELECT COUNT(*) FROM leasehold_lock_holder WHERE lock_id IN "
				+ "(SELECT id FROM leasehold_lock WHERE namespace = '%s')".formatted(this.namespace));
	}

	final Duration sharedFor(String key) throws SQLException {
		long end = number("SELECT shared_until FROM leasehold_lock WHERE namespace = '%s' AND lock_key = '%s'"
			.formatted(this.namespace, key));
		return Duration.ofNanos(1000 * (end - databaseClock()));
	}

}
