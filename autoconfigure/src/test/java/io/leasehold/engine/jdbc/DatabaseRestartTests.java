package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.FaultProxy;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * A database that crashes and comes back.
 */
abstract class DatabaseRestartTests {

	static final Duration CALL = Duration.ofSeconds(5);

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private final Member member = Member.of("shop");

	/** URL of a server of its own, with user and password. */
	abstract String url();

	abstract String platform();

	/** End the server as a crash does. */
	abstract void crash() throws Exception;

	abstract void startAgain() throws Exception;

	/** Locks whose lease is longer survive a crash, and the others are reported. */
	@Test
	@Fault(46)
	void locksWhoseLeasesOutlastACrashAreKeptAndTheOthersAreLost() throws Exception {
		JdbcLockEngine engine = engine();
		try (TestService service = new TestService(engine, CALL.multipliedBy(2))) {
			HeldLock lost = service.locks().acquire("lost");
			Claim kept = claim();
			long number = ((AcquisitionOutcome.Granted) engine.tryAcquire(kept)).number();
			crash();
			assertThat(renew(engine, kept, number)).isInstanceOf(RenewalOutcome.Unknown.class);
			await().atMost(PATIENCE).until(() -> !lost.isValid());
			startAgain();
			await().atMost(PATIENCE).until(() -> renew(engine, kept, number), RenewalOutcome.Renewed.class::isInstance);
			assertThat(engine.inspect(kept.key())).extracting(Holder::number).containsExactly(number);
			assertThat(engine.tryAcquire(claim())).isInstanceOf(AcquisitionOutcome.Busy.class);
			assertThat(engine.release(kept)).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(engine.tryAcquire(claim())).isInstanceOfSatisfying(AcquisitionOutcome.Granted.class,
					(granted) -> assertThat(granted.number()).isGreaterThan(number));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lost::close)
				.satisfies((loss) -> assertThat(loss.getLossCause()).isEqualTo(LossCause.EXPIRED));
			try (HeldLock next = service.locks().acquire("lost")) {
				assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
			}
		}
	}

	/**
	 * An address that leads to another server after a change of roles: connections to the
	 * former primary, which is read-only by now, are replaced after the first failure.
	 */
	@Test
	@Fault({ 47, 180 })
	void connectionsToAFormerPrimaryAreReplaced() throws Exception {
		String user = "u" + UUID.randomUUID().toString().substring(0, 8);
		createTablesAndUser(url(), user);
		createTablesAndUser(former(), user);
		for (String scheme : schemes()) {
			int begin = former().indexOf(':', "jdbc:".length());
			try (FaultProxy address = FaultProxy.to(port(former()));
					JdbcConnections connections = JdbcConnections.open(scheme + former().substring(begin)
						.replace(":" + port(former()), ":" + address.port())
						.replaceFirst("user=\\w+", "user=" + user), null, null, null, 4, CALL)) {
				connections.awaitFirst();
				openAll(connections);
				try (TestService service = new TestService(engine(connections), CALL.multipliedBy(2))) {
					service.locks().acquire("before").close();
					assertThatLocksMoveOn(service.locks(), address);
				}
				assertThat(owned(url())).as(scheme).isZero();
			}
		}
	}

	private void assertThatLocksMoveOn(LockService locks, FaultProxy address) throws Exception {
		execute(former(), readOnly(true));
		try {
			await().until(() -> isReadOnly(former()));
			address.redirect(port(url()));
			List<LockEngineException> failures = new ArrayList<>();
			for (int i = 0; i < 40; i++) {
				try (HeldLock held = locks.acquire("after " + i)) {
					assertThat(held.isValid()).isTrue();
				}
				catch (LockEngineException ex) {
					failures.add(ex);
				}
			}
			assertThat(failures).hasSizeLessThanOrEqualTo(1)
				.allSatisfy((failure) -> assertThat(failure).hasMessageContaining("it is read-only"));
		}
		finally {
			execute(former(), readOnly(false));
			await().until(() -> !isReadOnly(former()));
		}
	}

	/** URL of the shared server, which was the primary. */
	abstract String former();

	/** Beginnings of the URL for each driver. */
	abstract List<String> schemes();

	/** Statements that create a user that may change the tables. */
	abstract List<String> createUser(String user);

	abstract List<String> readOnly(boolean readOnly);

	/** Query that returns 1 for ordinary users of a read-only server. */
	abstract String whetherReadOnly();

	private boolean isReadOnly(String url) throws SQLException {
		return number(url, whetherReadOnly()) == 1;
	}

	private void createTablesAndUser(String url, String user) throws SQLException {
		createTablesOf(url);
		execute(url, createUser(user));
	}

	final void createTablesOf(String url) {
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location(platform())))
			.execute(new DriverManagerDataSource(url));
	}

	private static int port(String url) {
		return Integer.parseInt(url.replaceFirst(".*:(\\d+)/.*", "$1"));
	}

	private static void openAll(JdbcConnections connections) throws SQLException {
		List<Connection> all = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			all.add(connections.dataSource().getConnection());
		}
		for (Connection one : all) {
			one.close();
		}
	}

	private static long owned(String url) throws SQLException {
		return number(url, "SELECT COUNT(*) FROM leasehold_lock WHERE owner IS NOT NULL");
	}

	private static long number(String url, String query) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery(query)) {
			rows.next();
			return rows.getLong(1);
		}
	}

	private static void execute(String url, List<String> statements) throws SQLException {
		try (Connection connection = DriverManager.getConnection(url);
				Statement statement = connection.createStatement()) {
			for (String sql : statements) {
				statement.execute(sql);
			}
		}
	}

	final JdbcLockEngine engine() {
		JdbcConnections connections = JdbcConnections.open(url(), null, null, null, 4, CALL);
		connections.awaitFirst();
		new ResourceDatabasePopulator(new ClassPathResource(LockTableScript.location(platform())))
			.execute(connections.dataSource());
		return engine(connections);
	}

	private static JdbcLockEngine engine(JdbcConnections connections) {
		return new JdbcLockEngine(connections, settings(), MonotonicClock.SYSTEM);
	}

	static JdbcSettings settings() {
		return new JdbcSettings("restart", JdbcSettings.DEFAULT_TABLE, CALL, Duration.ofMillis(5),
				Duration.ofMillis(100), Duration.ofDays(7), true);
	}

	private static RenewalOutcome renew(JdbcLockEngine engine, Claim claim, long number) {
		return engine.renew(List.of(new Renewal(claim, number, claim.lease()))).get(0);
	}

	private Claim claim() {
		return new Claim(new LockKey("kept"), this.member.newOwner(), Duration.ofMinutes(5), Duration.ZERO, false,
				System.nanoTime());
	}

}
