package io.leasehold.engine.jdbc;

import io.leasehold.test.contract.Claims;
import io.leasehold.test.contract.Terms;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import io.leasehold.service.ReleaseTiming;
import io.leasehold.service.ServiceSettings;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Releases of which PostgreSQL notifies waiting claims.
 */
class PostgresNotificationsIntegrationTests {

	/** No claim polls within the time of a test. */
	private static final Duration POLL = Duration.ofSeconds(50);

	private static final LockKey KEY = new LockKey("order:42");

	private final String url = PostgresTestServer.shared().url();

	private final Member member = Member.of("shop");

	private final Member other = Member.of("office");

	private final String namespace = "ns-" + UUID.randomUUID();

	private final JdbcSettings settings = settings(true);

	private final LinkedBlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

	private final List<JdbcLockEngine> engines = new ArrayList<>();

	private Connection connection;

	@BeforeEach
	void open() throws SQLException {
		this.connection = DriverManager.getConnection(this.url);
		ScriptUtils.executeSqlScript(this.connection, new ClassPathResource(LockTableScript.location("postgresql")));
	}

	@AfterEach
	void close() throws SQLException {
		this.engines.forEach(JdbcLockEngine::close);
		this.connection.close();
	}

	@Test
	void waitingClaimIsNotifiedOfTheRelease() throws Exception {
		JdbcLockEngine one = engine(this.settings);
		JdbcLockEngine two = engine(this.settings);
		Claim held = hold(one);
		Claim waiting = waitForIt(two);
		listen(two, waiting);
		one.release(held);
		assertThat(received()).isInstanceOf(Signal.Retry.class);
		assertThat(two.tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Granted.class);
	}

	@Test
	void waitingClaimIsNotifiedOfTheEndOfAMinimumHold() throws Exception {
		JdbcLockEngine one = engine(this.settings);
		JdbcLockEngine two = engine(this.settings);
		Claim held = new Claim(KEY, this.member.newOwner(), Duration.ofMinutes(1), Duration.ofMinutes(5), false,
				System.nanoTime());
		assertThat(one.tryAcquire(held)).isInstanceOf(AcquisitionOutcome.Granted.class);
		one.release(held);
		Claim waiting = waitForIt(two);
		listen(two, waiting);
		assertThat(one.keptKeys().open(KEY)).isNotNull();
		assertThat(received()).isInstanceOf(Signal.Retry.class);
		assertThat(two.tryAcquire(waiting)).isInstanceOf(AcquisitionOutcome.Granted.class);
	}

	@Test
	void writerIsNotifiedOfEachReleaseOfAReader() throws Exception {
		JdbcLockEngine one = engine(this.settings);
		JdbcLockEngine two = engine(this.settings);
		Claim reader = hold(one, Access.SHARED);
		Claim another = hold(one, Access.SHARED);
		Claim writer = waitForIt(two);
		listen(two, writer);
		one.release(reader);
		assertThat(received()).isInstanceOf(Signal.Retry.class);
		assertThat(two.tryAcquire(writer)).isInstanceOf(AcquisitionOutcome.Busy.class);
		one.forceRelease(another.key());
		assertThat(received()).isInstanceOf(Signal.Retry.class);
		assertThat(two.tryAcquire(writer)).isInstanceOf(AcquisitionOutcome.Granted.class);
	}

	@Test
	void releaseTellsOnlyOfARowThatSomebodyWaitsFor() throws Exception {
		JdbcLockEngine engine = engine(this.settings);
		execute("LISTEN " + this.settings.channel());
		engine.release(hold(engine));
		engine.release(hold(engine, Access.SHARED));
		hold(engine);
		waitForIt(engine);
		execute("NOTIFY %s, 'until here'".formatted(this.settings.channel()));
		assertThat(notified()).containsExactly("until here");
	}

	@Test
	void notificationNamesTheRowAndNoSecret() throws Exception {
		JdbcLockEngine engine = engine(this.settings);
		execute("LISTEN " + this.settings.channel());
		Claim claim = hold(engine);
		waitForIt(engine);
		engine.release(claim);
		assertThat(notified()).containsExactly(RowId.of(this.namespace, KEY).toString());
	}

	@Test
	void releaseOfAClaimThatIsNotTheOwnerTellsNothing() throws Exception {
		JdbcLockEngine engine = engine(this.settings);
		execute("LISTEN " + this.settings.channel());
		hold(engine);
		Claim waiting = waitForIt(engine);
		assertThat(engine.release(waiting)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		execute("NOTIFY %s, 'until here'".formatted(this.settings.channel()));
		assertThat(notified()).containsExactly("until here");
	}

	@Test
	void brokenListenerIsReplacedAndWhatItMayHaveMissedIsAskedFor() throws Exception {
		JdbcLockEngine one = engine(this.settings);
		JdbcLockEngine two = engine(this.settings);
		Claim held = hold(one);
		Claim waiting = waitForIt(two);
		listen(two, waiting);
		long broken = listeners().get(0);
		// Waits for its end
		execute("SELECT pg_terminate_backend(%d, 60000)".formatted(broken));
		assertThat(received()).as("after the interruption").isNotNull();
		assertThat(listeners()).hasSize(1).doesNotContain(broken);
		one.release(held);
		assertThat(received()).as("after the release").isNotNull();
	}

	/** A network that drops all packets does not report that to the listener. */
	@Test
	void listenerThatReceivesNothingForLongChecksItsConnection() throws Exception {
		try (FaultProxy proxy = FaultProxy.to(PostgresTestServer.shared().port());
				JdbcLockEngine remote = new JdbcLockEngine(JdbcConnections
					.open(PostgresTestServer.shared().url(proxy.port()), null, null, null, 2, Duration.ofSeconds(5)),
						this.settings, MonotonicClock.SYSTEM)) {
			hold(remote);
			listen(remote, waitForIt(remote));
			proxy.strandRequests();
			assertThat(received()).as("listens anew").isNotNull();
		}
	}

	/** A connection that works is kept, and no claim polls in vain. */
	@Test
	void listenerThatReceivesNothingForLongKeepsAConnectionThatWorks() throws Exception {
		JdbcLockEngine one = engine(this.settings);
		JdbcLockEngine two = engine(this.settings);
		Claim held = hold(one);
		listen(two, waitForIt(two));
		long pid = listeners().get(0);
		await().atMost(Duration.ofMinutes(1)).until(() -> listeners().isEmpty());
		one.release(held);
		assertThat(received()).isInstanceOf(Signal.Retry.class);
		assertThat(this.signals).isEmpty();
		assertThat(sessions(pid)).isOne();
	}

	/** The database sends no notification of a release: the next poll finds it. */
	@Fault(65)
	@Test
	void releaseWithoutANotificationIsFoundByThePoll() throws Exception {
		JdbcLockEngine silent = engine(settings(false, Duration.ofMillis(100)));
		JdbcLockEngine polling = engine(settings(true, Duration.ofMillis(100)));
		LockOptions options = new LockOptions("poll", "jdbc", Duration.ofSeconds(30), Duration.ofSeconds(60),
				Duration.ZERO, LockOptions.UNLIMITED);
		LockService locks = new LockService(new ServiceSettings(options, OnLost.THROW, 0, Duration.ZERO),
				List.of(polling), this.other, MonotonicClock.SYSTEM, List.of(), ReleaseTiming.IMMEDIATE);
		Claim held = hold(silent);
		CompletableFuture<HeldLock> next = locks.acquireAsync(KEY.value());
		await().until(() -> listeners().size() == 1);
		assertThat(next).isNotDone();
		silent.release(held);
		next.get(1, TimeUnit.MINUTES).close();
	}

	@Test
	void closedSubscriptionReceivesNoSignal() throws Exception {
		JdbcLockEngine one = engine(this.settings);
		JdbcLockEngine two = engine(this.settings);
		Claim held = hold(one);
		Claim waiting = waitForIt(two);
		LinkedBlockingQueue<Signal> later = new LinkedBlockingQueue<>();
		Subscription listener = listen(two, waiting);
		two.subscribe(waiting, later::add);
		listener.close();
		one.release(held);
		assertThat(later.poll(1, TimeUnit.MINUTES)).isNotNull();
		assertThat(this.signals).isEmpty();
	}

	@Test
	void noConnectionListensBeforeAClaimWaits() throws Exception {
		JdbcLockEngine engine = engine(this.settings);
		engine.release(hold(engine));
		assertThat(listeners()).isEmpty();
	}

	@Test
	void threadAndConnectionEndWithTheEngine() throws Exception {
		JdbcLockEngine engine = engine(this.settings);
		hold(engine);
		listen(engine, waitForIt(engine));
		await().until(() -> threads().size() == 1);
		Pace start = Pace.begin();
		engine.close();
		await().until(() -> threads().isEmpty() && listeners().isEmpty());
		assertThat(start.elapsed()).isLessThan(start.slack(Duration.ofSeconds(3)));
	}

	@Test
	void switchedOffNothingListensAndNothingIsPublished() throws Exception {
		JdbcLockEngine engine = engine(settings(false));
		execute("LISTEN " + this.settings.channel());
		Claim held = hold(engine);
		assertThat(engine.subscribe(waitForIt(engine), this.signals::add)).isSameAs(Subscription.POLLING);
		engine.release(held);
		execute("NOTIFY %s, 'until here'".formatted(this.settings.channel()));
		assertThat(notified()).containsExactly("until here");
	}

	@Test
	void dataSourceOfSomebodyElseIsNotAskedForAConnectionToKeep() throws Exception {
		try (JdbcConnections pool = JdbcConnections.open(this.url, null, null, null, 1, Duration.ofSeconds(5));
				JdbcLockEngine engine = new JdbcLockEngine(JdbcConnections.of(pool.dataSource()), this.settings,
						MonotonicClock.SYSTEM)) {
			Claim held = hold(engine);
			assertThat(engine.subscribe(waitForIt(engine), this.signals::add)).isSameAs(Subscription.POLLING);
			assertThat(engine.release(held)).isInstanceOf(ReleaseOutcome.Released.class);
		}
	}

	private JdbcSettings settings(boolean notifications) {
		return settings(notifications, POLL);
	}

	private JdbcSettings settings(boolean notifications, Duration poll) {
		return new JdbcSettings(this.namespace, JdbcSettings.DEFAULT_TABLE, Duration.ofSeconds(5), poll, poll,
				Duration.ofDays(7), notifications);
	}

	private JdbcLockEngine engine(JdbcSettings settings) {
		JdbcLockEngine engine = new JdbcLockEngine(
				JdbcConnections.open(this.url, null, null, null, 2, settings.callTimeout()), settings,
				MonotonicClock.SYSTEM);
		this.engines.add(engine);
		return engine;
	}

	private Claim hold(JdbcLockEngine engine) {
		return hold(engine, Access.EXCLUSIVE);
	}

	private Claim hold(JdbcLockEngine engine, Access access) {
		Claim claim = claim(this.member, access);
		assertThat(engine.tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Granted.class);
		return claim;
	}

	private Claim waitForIt(JdbcLockEngine engine) {
		Claim claim = Claims.waiting(claim(this.other, Access.EXCLUSIVE));
		assertThat(engine.tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Busy.class);
		return claim;
	}

	private static Claim claim(Member member, Access access) {
		return new Claim(KEY, member.newOwner(), Terms.of(access, Duration.ofMinutes(2), Duration.ZERO, Duration.ZERO),
				false, System.nanoTime());
	}

	/** Start to listen; the first signal means that listening has begun. */
	private Subscription listen(JdbcLockEngine engine, Claim claim) throws InterruptedException {
		Subscription listener = engine.subscribe(claim, this.signals::add);
		assertThat(received()).as("begin").isNotNull();
		return listener;
	}

	private Signal received() throws InterruptedException {
		return this.signals.poll(1, TimeUnit.MINUTES);
	}

	private List<String> notified() throws SQLException {
		List<String> payloads = new ArrayList<>();
		for (PGNotification notification : this.connection.unwrap(PGConnection.class).getNotifications(60_000)) {
			payloads.add(notification.getParameter());
		}
		return payloads;
	}

	/** Server processes of the engines that have listened with their last query. */
	private List<Long> listeners() throws SQLException {
		List<Long> result = new ArrayList<>();
		try (Statement statement = this.connection.createStatement();
				ResultSet rows = statement.executeQuery(
						"SELECT pid FROM pg_stat_activity WHERE state = 'idle' AND query = 'LISTEN %s' AND pid <> pg_backend_pid()"
							.formatted(this.settings.channel()))) {
			while (rows.next()) {
				result.add(rows.getLong(1));
			}
		}
		return result;
	}

	private long sessions(long pid) throws SQLException {
		try (Statement statement = this.connection.createStatement();
				ResultSet rows = statement
					.executeQuery("SELECT COUNT(*) FROM pg_stat_activity WHERE pid = %d".formatted(pid))) {
			rows.next();
			return rows.getLong(1);
		}
	}

	private static List<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("leasehold-jdbc-listen"))
			.toList();
	}

	private void execute(String sql) throws SQLException {
		try (Statement statement = this.connection.createStatement()) {
			statement.execute(sql);
		}
	}

}
