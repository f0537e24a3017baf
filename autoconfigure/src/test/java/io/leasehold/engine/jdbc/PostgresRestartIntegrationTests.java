package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.TransactionLocks;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.ParkedLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * PostgreSQL crashes and comes back.
 */
@Tag("full")
class PostgresRestartIntegrationTests extends DatabaseRestartTests {

	/** Nothing but a recall or a caller releases a parked lock within a test. */
	private static final Duration LINGER = Duration.ofHours(1);

	private final PostgresTestServer server = PostgresTestServer.start();

	@AfterEach
	void stop() throws Exception {
		this.server.close();
	}

	/**
	 * Recalls arrive again over another connection. A caller during the outage acquires
	 * the lock from the store.
	 */
	@Fault(167)
	@Test
	void parkedLocksAreRecalledAfterACrashAndNotEnteredDuringIt() throws Exception {
		JdbcLockEngine engine = engine();
		try (TestService keeper = new TestService(engine, LINGER);
				TestService other = new TestService(engine(), CALL.multipliedBy(2))) {
			LockOptions options = lingering(keeper, LINGER);
			long recalled = ParkedLocks.park(keeper.locks(), "recalled", options);
			long wanted = ParkedLocks.park(keeper.locks(), "wanted", options);
			crash();
			await().until(() -> !engine.receivesRecalls());
			CompletableFuture<HeldLock> own = keeper.locks().acquireAsync("wanted", options);
			assertThat(ParkedLocks.of(keeper.locks())).containsOnlyKeys("recalled");
			startAgain();
			try (HeldLock next = other.locks().acquire("recalled")) {
				assertThat(next.fencingToken()).isGreaterThan(recalled + ParkedLocks.TOKENS);
				assertThat(ParkedLocks.of(keeper.locks())).isEmpty();
			}
			try (HeldLock next = own.get(1, TimeUnit.MINUTES)) {
				assertThat(next.fencingToken()).isGreaterThan(wanted + ParkedLocks.TOKENS);
			}
			drain(keeper.locks());
			assertThat(owners()).isZero();
		}
	}

	/** Half of the linger time passes while the store is down. */
	@Fault(167)
	@Test
	void parkedLockIsGivenUpDuringACrash() throws Exception {
		JdbcLockEngine engine = engine();
		try (TestService keeper = new TestService(engine, LINGER);
				TestService other = new TestService(engine(), CALL.multipliedBy(2))) {
			long parked = ParkedLocks.park(keeper.locks(), "a", lingering(keeper, engine.minLease()));
			crash();
			await().atMost(Duration.ofMinutes(1)).until(() -> ParkedLocks.of(keeper.locks()).isEmpty());
			startAgain();
			try (HeldLock next = other.locks().acquire("a")) {
				assertThat(next.fencingToken()).isGreaterThan(parked + ParkedLocks.TOKENS);
			}
			drain(keeper.locks());
			assertThat(owners()).isZero();
		}
	}

	private static LockOptions lingering(TestService service, Duration linger) {
		return service.locks().defaults().toBuilder().linger(linger).build();
	}

	private static void drain(LockService locks) throws InterruptedException {
		CountDownLatch idle = new CountDownLatch(1);
		locks.drain(idle::countDown);
		assertThat(idle.await(1, TimeUnit.MINUTES)).isTrue();
	}

	private long owners() throws SQLException {
		try (Connection connection = DriverManager.getConnection(url());
				Statement statement = connection.createStatement();
				ResultSet rows = statement
					.executeQuery("SELECT COUNT(*) FROM leasehold_lock WHERE owner IS NOT NULL")) {
			rows.next();
			return rows.getLong(1);
		}
	}

	@Override
	String url() {
		return this.server.url();
	}

	@Override
	String platform() {
		return "postgresql";
	}

	@Override
	void crash() throws Exception {
		this.server.stopImmediately();
	}

	@Override
	void startAgain() throws Exception {
		this.server.startAgain();
	}

	/** A standby has advisory locks, apart from those of the primary. */
	@Test
	@Fault(value = { 47, 181 }, engine = "jdbc")
	void lockInATransactionIsRefusedIfItsConnectionLeadsToAStandby() throws Exception {
		createTablesOf(former());
		this.server.becomeStandby();
		boolean[] reading = new boolean[1];
		AbstractRoutingDataSource router = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return reading[0];
			}

		};
		router.setTargetDataSources(
				Map.of(true, new DriverManagerDataSource(url()), false, new DriverManagerDataSource(former())));
		router.afterPropertiesSet();
		TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(router));
		try (JdbcLockEngine engine = new JdbcLockEngine(JdbcConnections.open(former(), null, null, null, 1, CALL),
				settings(), MonotonicClock.SYSTEM, router)) {
			engine.start();
			for (Access access : List.of(Access.EXCLUSIVE, Access.SHARED)) {
				for (Duration wait : List.of(Duration.ZERO, Duration.ofSeconds(1))) {
					reading[0] = true;
					assertThat(transaction
						.<Object>execute((status) -> engine.transactionLocks().acquire(new LockKey("a"), access, wait)))
						.isInstanceOfSatisfying(TransactionLocks.Outcome.Refused.class,
								(refused) -> assertThat(refused.reason()).startsWith("its server is read-only"));
					reading[0] = false;
					assertThat(transaction
						.<Object>execute((status) -> engine.transactionLocks().acquire(new LockKey("a"), access, wait)))
						.isInstanceOf(TransactionLocks.Outcome.Granted.class);
				}
			}
		}
	}

	@Override
	String former() {
		return PostgresTestServer.shared().url();
	}

	@Override
	List<String> schemes() {
		return List.of("jdbc:postgresql");
	}

	@Override
	List<String> createUser(String user) {
		return List.of("CREATE ROLE %s LOGIN".formatted(user),
				"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO " + user);
	}

	@Override
	List<String> readOnly(boolean readOnly) {
		return List.of(
				"ALTER SYSTEM %s".formatted(
						readOnly ? "SET default_transaction_read_only = on" : "RESET default_transaction_read_only"),
				"SELECT pg_reload_conf()");
	}

	@Override
	String whetherReadOnly() {
		return "SELECT CASE WHEN current_setting('default_transaction_read_only') = 'on' THEN 1 ELSE 0 END";
	}

}
