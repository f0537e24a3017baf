package io.leasehold.engine.jdbc;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockMode;
import io.leasehold.LockOptions;
import io.leasehold.StaleFencingTokenException;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Capability;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.service.LockService;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.FencedShop;
import io.leasehold.test.contract.ParkedLocks;
import io.leasehold.test.contract.Terms;
import io.leasehold.test.contract.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Grants that linger, as PostgreSQL stores them.
 */
@Tag("full")
class PostgresLingerIntegrationTests {

	/** A parked grant does not end within the time of a test. */
	private static final Duration LONG = Duration.ofHours(1);

	private static final LockOptions OPTIONS = new LockOptions("test", JdbcLockEngine.NAME, LONG,
			Duration.ofSeconds(60), Duration.ZERO, LockOptions.UNLIMITED)
		.toBuilder()
		.linger(LONG)
		.build();

	private static final LockKey KEY = new LockKey("order:42");

	private final String url = PostgresTestServer.shared().url();

	private final JdbcSettings settings = settings(true);

	private final Member member = Member.of("shop");

	private final Member other = Member.of("office");

	private final List<AutoCloseable> opened = new ArrayList<>();

	private Connection connection;

	private JdbcLockEngine engine;

	@BeforeEach
	void open() throws SQLException {
		this.connection = DriverManager.getConnection(this.url);
		ScriptUtils.executeSqlScript(this.connection, new ClassPathResource(LockTableScript.location("postgresql")));
		this.engine = engine(this.url);
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.opened) {
			resource.close();
		}
		LoggingDriver.LOGS.clear();
		this.connection.close();
	}

	@Test
	void twoThousandCallsCostTwoTransactions() throws SQLException {
		LockService locks = park(logged());
		LoggingDriver.clear();
		long version = row("version");
		for (int i = 0; i < 4000; i++) {
			locks.acquire(KEY.value(), OPTIONS).close();
		}
		assertThat(row("version") - version).as("changes of the row").isBetween(2L, 4L);
		assertThat(LoggingDriver.executed()).hasSizeBetween(2, 4);
	}

	/** A process that never lingers sends what it sent before, and does not listen. */
	@Test
	void lockThatDoesNotLingerCostsNothingMore() throws SQLException {
		JdbcLockEngine logged = logged();
		LockService locks = service(logged, this.member);
		LockOptions plain = OPTIONS.toBuilder().linger(Duration.ZERO).build();
		locks.acquire(KEY.value(), plain).close();
		LoggingDriver.clear();
		locks.acquire(KEY.value(), plain).close();
		assertThat(LoggingDriver.executed()).hasSize(2).noneMatch((sql) -> sql.contains("- 31"));
		assertThat(listeners()).isEmpty();
	}

	@Test
	void grantThatLingersReservesNumbers() throws SQLException {
		Claim used = claim(this.member, false);
		granted(this.engine, used);
		this.engine.release(used);
		long ahead = row("grant_number") + 1_000_000_000_000L;
		execute("UPDATE leasehold_lock SET grant_number = %d WHERE namespace = '%s'".formatted(ahead,
				this.settings.namespace()));
		Claim claim = claim(this.member, true);
		Granted granted = granted(this.engine, claim);
		assertThat(granted.number()).isEqualTo(ahead + 1);
		assertThat(granted.reserved()).isEqualTo(31);
		assertThat(row("grant_number")).isEqualTo(granted.number() + 31);
		assertThat(row("closed_until")).isEqualTo(-GrantReports.mark(claim));
		assertThat(this.engine.inspect(KEY)).singleElement().satisfies((holder) -> {
			assertThat(holder.number()).isEqualTo(granted.number());
			assertThat(holder.reserved()).isEqualTo(31);
			assertThat(holder.lingers()).isTrue();
		});
		this.engine.release(claim);
		Granted next = granted(this.engine, claim(this.other, false));
		assertThat(next.number()).isGreaterThan(granted.number() + 31);
		assertThat(next.reserved()).isZero();
		assertThat(row("closed_until")).isZero();
		assertThat(this.engine.inspect(KEY)).singleElement().matches((holder) -> holder.reserved() == 0);
	}

	/** The row may have been removed since the process used the key. */
	@Test
	void keyWithoutARowLingersAsWell() throws SQLException {
		Granted granted = granted(this.engine, claim(this.member, true));
		assertThat(granted.reserved()).isEqualTo(31);
		assertThat(row("grant_number")).isEqualTo(granted.number() + 31);
	}

	@Test
	void renewalEndsTheLingering() throws SQLException {
		Claim claim = claim(this.member, true);
		Granted granted = granted(this.engine, claim);
		Renewal renewal = new Renewal(claim, granted.number(), LONG.multipliedBy(2));
		assertThat(this.engine.renew(List.of(renewal))).singleElement().isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(row("closed_until")).isEqualTo(-1);
		assertThat(this.engine.inspect(KEY)).singleElement().satisfies((holder) -> {
			assertThat(holder.number()).isEqualTo(granted.number());
			assertThat(holder.reserved()).isEqualTo(31);
			assertThat(holder.lingers()).isFalse();
			assertThat(holder.remaining()).isGreaterThan(LONG);
		});
		assertThat(busy(claim(this.other, false)).recalled()).isFalse();
		assertThat(this.engine.renew(List.of(renewal))).singleElement().isInstanceOf(RenewalOutcome.Renewed.class);
		this.engine.release(claim);
		assertThat(granted(this.engine, claim(this.other, false)).number()).isGreaterThan(granted.number() + 31);
	}

	/**
	 * Two kinds of grants in a batch need two statements, and neither loses its lease.
	 */
	@Test
	void renewalsOfLingeringAndOtherGrantsAreTwoStatements() throws SQLException {
		JdbcLockEngine logged = logged();
		Claim lingering = claim(this.member, true);
		Claim plain = new Claim(new LockKey("plain"), this.member.newOwner(), LONG, Duration.ZERO, false, 0);
		List<Renewal> renewals = List.of(new Renewal(lingering, granted(logged, lingering).number(), LONG),
				new Renewal(plain, granted(logged, plain).number(), LONG));
		LoggingDriver.clear();
		assertThat(logged.renew(renewals)).allMatch(RenewalOutcome.Renewed.class::isInstance);
		assertThat(LoggingDriver.executed()).hasSize(2);
	}

	/** The response to the first request was lost. */
	@Test
	void repeatedRequestFindsTheGrantWhichLingersNoLonger() throws SQLException {
		Claim claim = claim(this.member, true);
		Granted first = granted(this.engine, claim);
		Granted again = granted(this.engine, claim);
		assertThat(again.number()).isEqualTo(first.number());
		assertThat(again.reserved()).isZero();
		assertThat(row("closed_until")).isEqualTo(-1);
		assertThat(row("grant_number")).isEqualTo(first.number() + 31);
	}

	@Test
	void eachRequestRecallsTheGrantAndRevealsNoToken() throws SQLException {
		Claim claim = claim(this.member, true);
		granted(this.engine, claim);
		execute("LISTEN " + this.settings.channel());
		Claim reader = new Claim(KEY, this.other.newOwner(),
				Terms.of(Access.SHARED, LONG, Duration.ZERO, Duration.ZERO), true, System.nanoTime());
		for (Claim busy : List.of(claim(this.other, false), claim(this.other, true),
				Claims.waiting(claim(this.other, false)), reader)) {
			assertThat(busy(busy).recalled()).isTrue();
		}
		execute("NOTIFY %s, 'until here'".formatted(this.settings.channel()));
		String recall = GrantReports.recalled(GrantReports.mark(claim));
		assertThat(notified()).containsExactly(recall, recall, recall, recall, "until here");
		assertThat(recall).matches("recall \\d{1,18}");
	}

	/** Otherwise the release that the recall causes would not notify the waiter. */
	@Test
	void rowIsMarkedAsAwaitedBeforeTheRecall() throws SQLException {
		JdbcLockEngine logged = logged();
		granted(this.engine, claim(this.member, true));
		LoggingDriver.clear();
		logged.tryAcquire(Claims.waiting(claim(this.other, false)));
		List<String> executed = LoggingDriver.executed();
		assertThat(executed.get(executed.size() - 2)).contains("waited_until = ");
		assertThat(executed.get(executed.size() - 1)).contains("pg_notify");
	}

	@Test
	void remainsOfALingeringGrantDoNotKeepTheKeyFromOthers() throws SQLException {
		for (Access access : List.of(Access.SHARED, Access.permits(2), Access.EXCLUSIVE)) {
			Claim claim = claim(this.member, true);
			Granted granted = granted(this.engine, claim);
			this.engine.release(claim);
			Claim next = new Claim(KEY, this.other.newOwner(), Terms.of(access, LONG, Duration.ofMillis(1), LONG),
					false, System.nanoTime());
			assertThat(granted(this.engine, next).number()).isGreaterThan(granted.number() + 31);
			assertThat(this.engine.inspect(KEY)).singleElement()
				.matches((holder) -> holder.reserved() == 0 && !holder.lingers());
			assertThat(busy(claim(this.member, false)).recalled()).isFalse();
			this.engine.release(next);
			await().until(() -> this.engine.tryAcquire(claim(this.other, false)) instanceof Granted);
			this.engine.forceRelease(KEY);
		}
	}

	@Test
	void rowOfALingeringGrantIsRemovedOnlyWhenItIsIdle() throws SQLException {
		granted(this.engine, claim(this.member, true));
		this.engine.removeIdle();
		assertThat(row("closed_until")).isNegative();
		execute("UPDATE leasehold_lock SET expires_at = 0 WHERE namespace = '%s'".formatted(this.settings.namespace()));
		assertThat(granted(this.engine, claim(this.other, false)).reserved()).isZero();
		execute("UPDATE leasehold_lock SET expires_at = 0, closed_until = -2 WHERE namespace = '%s'"
			.formatted(this.settings.namespace()));
		assertThat(this.engine.removeIdle(JdbcLockEngine.PURGED_AT_ONCE)).isOne();
	}

	/** The listener returns after a while, and polls repeat the message. */
	@Fault(164)
	@Test
	void waiterGetsAParkedLockAlthoughTheFirstRecallIsLost() throws SQLException {
		LockService locks = park(this.engine);
		JdbcLockEngine elsewhere = engine(this.url);
		for (long listener : listeners()) {
			execute("SELECT pg_terminate_backend(%d)".formatted(listener));
		}
		try (HeldLock held = service(elsewhere, this.other).acquire(KEY.value(), OPTIONS)) {
			assertThat(held.isValid()).isTrue();
			assertThat(locks.inspector().overview().parked()).isEmpty();
		}
	}

	@Fault(167)
	@Test
	void lockIsNotEnteredWhileTheListenerIsBroken() throws Exception {
		try (FaultProxy proxy = FaultProxy.to(PostgresTestServer.shared().port())) {
			JdbcLockEngine remote = engine(PostgresTestServer.shared().url(proxy.port()));
			LockService locks = park(remote);
			long parked = locks.inspector().overview().parked().get(0).fencingToken();
			proxy.refuse();
			proxy.reset();
			await().until(() -> !remote.receivesRecalls());
			CompletableFuture<HeldLock> entering = locks.acquireAsync(KEY.value(), OPTIONS);
			assertThat(locks.inspector().overview().parked()).isEmpty();
			proxy.heal();
			try (HeldLock next = entering.get(60, TimeUnit.SECONDS)) {
				assertThat(next.fencingToken()).isGreaterThanOrEqualTo(parked + 31 * 64);
			}
			await().until(remote::receivesRecalls);
		}
	}

	/**
	 * A failover to a replica that lags, or an earlier copy of the data, loses the lock.
	 */
	@Fault(166)
	@Test
	void parkedLockThatTheDatabaseForgotIsFenced() throws SQLException {
		Claim used = claim(this.member, false);
		granted(this.engine, used);
		this.engine.release(used);
		String row = "FROM leasehold_lock WHERE namespace = '%s'".formatted(this.settings.namespace());
		execute("CREATE TEMPORARY TABLE earlier AS SELECT * " + row);
		LockService locks = park(this.engine);
		execute("DELETE " + row);
		execute("INSERT INTO leasehold_lock SELECT * FROM earlier");
		FencedShop shop = FencedShop.inMemory(this.settings.namespace(), 10);
		LockOptions plain = OPTIONS.toBuilder().linger(Duration.ZERO).build();
		try (HeldLock next = service(engine(this.url), this.other).acquire(KEY.value(), plain)) {
			shop.sell(next);
			try (HeldLock stale = locks.acquire(KEY.value(), OPTIONS)) {
				assertThat(stale.fencingToken()).isLessThan(next.fencingToken());
				assertThat(locks.isCurrent(KEY.value(), stale.fencingToken())).isFalse();
				assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> shop.sell(stale));
			}
			assertThat(next.isValid()).isTrue();
		}
		assertThat(shop.stock()).isEqualTo(9);
	}

	/** A pooler in transaction mode accepts LISTEN, and drops the notifications. */
	@Test
	void listenerWhoseSubscriptionWasDroppedReceivesNoRecalls() throws SQLException {
		String channel = "some_channel";
		execute("LISTEN " + channel);
		DataSource server = new DriverManagerDataSource(this.url);
		try (WakeUps dropped = new WakeUps(new Pooler(server), channel, (payload) -> false);
				WakeUps kept = new WakeUps(server, channel, (payload) -> false)) {
			dropped.prove();
			List<String> payloads = new ArrayList<>();
			await().until(() -> payloads.addAll(notified()));
			assertThat(payloads).singleElement().asString().startsWith("listening ");
			kept.prove();
			await().until(kept::isProven);
			assertThat(dropped.isProven()).isFalse();
		}
	}

	@Test
	void forcedReleaseElsewhereEndsAParkedLock() {
		LockService locks = park(this.engine);
		long parked = locks.inspector().overview().parked().get(0).fencingToken();
		assertThat(locks.isCurrent(KEY.value(), parked)).isTrue();
		assertThat(engine(this.url).forceRelease(KEY)).hasSize(1);
		await().until(() -> locks.inspector().overview().parked().isEmpty());
		assertThat(locks.isCurrent(KEY.value(), parked)).isFalse();
		try (HeldLock next = locks.acquire(KEY.value(), OPTIONS)) {
			assertThat(next.fencingToken()).isGreaterThanOrEqualTo(parked + 31 * 64);
		}
	}

	@Test
	void readerGetsAParkedLock() {
		LockService locks = park(this.engine);
		LockService reading = service(engine(this.url), this.other);
		try (HeldLock held = reading.acquire(KEY.value(),
				OPTIONS.toBuilder().linger(Duration.ZERO).mode(LockMode.SHARED).build())) {
			assertThat(held.isValid()).isTrue();
			assertThat(locks.inspector().overview().parked()).isEmpty();
		}
	}

	@Test
	void locksLingerOnlyWithNotificationsOfPostgres() {
		assertThat(this.engine.capabilities()).contains(Capability.LINGER);
		JdbcLockEngine silent = new JdbcLockEngine(connect(this.url), settings(false), MonotonicClock.SYSTEM);
		this.opened.add(silent);
		assertThat(silent.capabilities()).doesNotContain(Capability.LINGER);
		JdbcLockEngine shared = new JdbcLockEngine(JdbcConnections.of(connect(this.url).dataSource()), this.settings,
				MonotonicClock.SYSTEM);
		this.opened.add(shared);
		assertThat(shared.capabilities()).doesNotContain(Capability.LINGER);
		for (String elsewhere : List.of("jdbc:h2:mem:linger", "jdbc:mysql://localhost:1/a",
				"jdbc:mariadb://localhost:1/a")) {
			JdbcLockEngine unreached = new JdbcLockEngine(connect(elsewhere), this.settings, MonotonicClock.SYSTEM);
			this.opened.add(unreached);
			assertThat(unreached.capabilities()).as(elsewhere).doesNotContain(Capability.LINGER);
		}
	}

	/** Return a service that has a parked lock. */
	private LockService park(JdbcLockEngine in) {
		LockService locks = service(in, this.member);
		ParkedLocks.park(locks, KEY.value(), OPTIONS);
		return locks;
	}

	private LockService service(JdbcLockEngine in, Member of) {
		LockService service = new LockService(TestSettings.of(OPTIONS), List.of(in), of, MonotonicClock.SYSTEM,
				List.of(), ReleaseTiming.IMMEDIATE);
		this.opened.add(0, service);
		return service;
	}

	private JdbcLockEngine engine(String at) {
		JdbcLockEngine created = new JdbcLockEngine(connect(at), this.settings, MonotonicClock.SYSTEM);
		this.opened.add(created);
		created.start();
		return created;
	}

	private JdbcConnections connect(String at) {
		return JdbcConnections.open(at, null, null, null, 2, this.settings.callTimeout());
	}

	/** Return an engine whose statements are logged. */
	private JdbcLockEngine logged() {
		JdbcLockEngine created = new JdbcLockEngine(JdbcConnections.open(this.url, LoggingDriver.class.getName(), null,
				null, 2, this.settings.callTimeout()), this.settings, MonotonicClock.SYSTEM);
		this.opened.add(created);
		created.start();
		return created;
	}

	private static JdbcSettings settings(boolean notifications) {
		return new JdbcSettings("ns-" + UUID.randomUUID(), JdbcSettings.DEFAULT_TABLE, Duration.ofSeconds(5),
				Duration.ofMillis(50), Duration.ofMillis(50), Duration.ofDays(7), notifications);
	}

	@Test
	void claimsThatAreNotGrantedLeaveNothing() {
		Claim held = claim(this.member, true);
		granted(this.engine, held);
		for (int i = 0; i < 10; i++) {
			assertThat(this.engine.tryAcquire(claim(this.other, true))).isInstanceOf(Busy.class);
			assertThat(this.engine.tryAcquire(Claims.waiting(claim(this.other, true)))).isInstanceOf(Busy.class);
		}
		assertThat(this.engine.reports.expected()).isOne();
		this.engine.release(held);
		assertThat(this.engine.reports.expected()).isZero();
	}

	private static Claim claim(Member in, boolean lingers) {
		return new Claim(KEY, in.newOwner(), Terms.of(Access.EXCLUSIVE, LONG, Duration.ZERO, Duration.ZERO), false,
				System.nanoTime(), lingers);
	}

	private static Granted granted(JdbcLockEngine in, Claim claim) {
		return (Granted) in.tryAcquire(claim);
	}

	private Busy busy(Claim claim) {
		return (Busy) this.engine.tryAcquire(claim);
	}

	private long row(String column) throws SQLException {
		try (Statement statement = this.connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT %s FROM leasehold_lock WHERE namespace = '%s'"
					.formatted(column, this.settings.namespace()))) {
			assertThat(rows.next()).isTrue();
			return rows.getLong(1);
		}
	}

	private List<Long> listeners() throws SQLException {
		List<Long> result = new ArrayList<>();
		try (Statement statement = this.connection.createStatement();
				ResultSet rows = statement.executeQuery(
						"SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query = 'LISTEN %s'"
							.formatted(this.settings.channel()))) {
			while (rows.next()) {
				result.add(rows.getLong(1));
			}
		}
		return result;
	}

	private List<String> notified() throws SQLException {
		List<String> payloads = new ArrayList<>();
		for (PGNotification notification : this.connection.unwrap(PGConnection.class).getNotifications(10_000)) {
			payloads.add(notification.getParameter());
		}
		return payloads;
	}

	private void execute(String sql) throws SQLException {
		try (Statement statement = this.connection.createStatement()) {
			statement.execute(sql);
		}
	}

	/** Connections that lose their subscription at once. */
	private static final class Pooler extends DelegatingDataSource {

		Pooler(DataSource server) {
			super(server);
		}

		@Override
		public Connection getConnection() throws SQLException {
			Connection target = super.getConnection();
			return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(),
					new Class<?>[] { Connection.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("unwrap")) {
							try (Statement statement = target.createStatement()) {
								statement.execute("UNLISTEN *");
							}
						}
						return method.invoke(target, arguments);
					});
		}

	}

	/** Driver whose connections log their prepared statements, except for the clock. */
	public static final class LoggingDriver extends org.postgresql.Driver {

		static final List<StatementLog> LOGS = new CopyOnWriteArrayList<>();

		@Override
		public Connection connect(String url, Properties info) throws SQLException {
			StatementLog log = new StatementLog(new SingleConnectionDataSource(super.connect(url, info), false));
			LOGS.add(log);
			return log.getConnection();
		}

		static void clear() {
			LOGS.forEach(StatementLog::clear);
		}

		static List<String> executed() {
			return LOGS.stream()
				.flatMap((log) -> log.executed().stream())
				.filter((sql) -> sql.contains("leasehold_lock") || sql.contains("pg_notify"))
				.toList();
		}

	}

}
