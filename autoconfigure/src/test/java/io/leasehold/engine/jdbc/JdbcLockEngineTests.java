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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.zaxxer.hikari.HikariDataSource;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Pace;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the engine does on every database.
 */
abstract class JdbcLockEngineTests {

	static final Duration LEASE = Duration.ofSeconds(30);

	static final Duration SHORT = Duration.ofMillis(300);

	/** Grants that a test of a contended key is to see, however slow the machine is. */
	static final int ENOUGH = 20;

	private static final Duration POLL_MIN = Duration.ofMillis(5);

	private static final Duration LONG_POLL = Duration.ofSeconds(10);

	final Member member = Member.of("shop");

	final Member other = Member.of("office");

	final String namespace = "ns-" + UUID.randomUUID();

	private final List<JdbcLockEngine> engines = new ArrayList<>();

	private JdbcConnections connections;

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

	@Test
	void uncontendedLockCostsOneStatementToAcquireAndOneToRelease() {
		Claim first = claim("a");
		granted(first);
		release(first);
		this.statements.clear();
		Claim claim = claim("a");
		granted(claim);
		assertThat(this.statements.executed()).hasSize(1);
		release(claim);
		assertThat(this.statements.executed()).hasSize(2);
	}

	@Test
	void newKeyCostsThreeStatements() {
		granted(claim("a"));
		assertThat(this.statements.executed()).hasSize(3);
	}

	@Test
	void renewalOfManyIsOneStatement() {
		List<Renewal> renewals = hold(100);
		this.statements.clear();
		assertThat(this.engine.renew(renewals)).hasSize(100).allMatch(RenewalOutcome.Renewed.class::isInstance);
		assertThat(this.statements.executed()).hasSize(1);
	}

	@Test
	void busyKeyIsLeftAsItIs() throws SQLException {
		granted(claim("a"));
		List<Object> before = row("a");
		busy(claim("a"));
		assertThat(row("a")).isEqualTo(before);
	}

	@Test
	void claimFindsItsOwnGrantAgain() {
		Claim claim = claim("a");
		AcquisitionOutcome.Granted granted = granted(claim);
		AcquisitionOutcome.Granted again = granted(claim);
		assertThat(again.number()).isEqualTo(granted.number());
		assertThat(again.validUntil() - granted.validUntil()).isPositive();
	}

	@Test
	void askingAgainNeverShortensTheLease() throws SQLException {
		Claim claim = claim("a");
		granted(claim);
		granted(new Claim(claim.key(), claim.owner(), SHORT, Duration.ZERO, false, claim.since()));
		assertThat(remaining("a")).isGreaterThan(LEASE.minusSeconds(10));
	}

	@Test
	void renewalNeverShortensTheLease() throws SQLException {
		Claim claim = claim("a");
		long number = granted(claim).number();
		assertThat(renew(claim, number, SHORT)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(remaining("a")).isGreaterThan(LEASE.minusSeconds(10));
	}

	@Test
	void renewalExtendsTheLease() throws SQLException {
		Claim claim = claim("a", Duration.ofSeconds(15), Duration.ZERO);
		long number = granted(claim).number();
		assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(remaining("a")).isGreaterThan(LEASE.minusSeconds(10));
	}

	@Test
	void formerOwnerCanNeitherRenewNorReleaseTheLeaseOfTheNextOwner() {
		Claim former = claim("a", SHORT, Duration.ZERO);
		long number = granted(former).number();
		Claim next = claim("a");
		long nextNumber = grantedAtLast(next).number();
		assertThat(nextNumber).isGreaterThan(number);
		assertThat(renew(former, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.engine.release(former)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(renew(next, nextNumber, LEASE)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.engine.release(next)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void expiredLeaseIsNeitherRenewedNorReleased() {
		Claim claim = claim("a", SHORT, Duration.ZERO);
		long number = granted(claim).number();
		await().until(() -> remaining("a").isNegative());
		assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.engine.release(claim)).as("release of %s", claim.access())
			.isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.engine.inspect(claim.key())).isEmpty();
	}

	@Test
	void claimWhoseLeaseIsOverTakesTheKeyAnew() throws SQLException {
		Claim claim = claim("a", SHORT, Duration.ZERO);
		long number = granted(claim).number();
		await().until(() -> remaining("a").isNegative());
		Claim again = new Claim(claim.key(), claim.owner(), LEASE, Duration.ZERO, false, claim.since());
		assertThat(granted(again).number()).isGreaterThan(number);
		assertThat(remaining("a")).isPositive();
		busy(claim("a"));
	}

	@Test
	void renewalTellsTheLostFromTheKept() {
		List<Renewal> renewals = new ArrayList<>(hold(300));
		Renewal last = renewals.get(299);
		renewals.set(299, new Renewal(last.claim(), last.number(), LEASE.plusSeconds(1)));
		release(renewals.get(150).claim());
		List<RenewalOutcome> outcomes = this.engine.renew(renewals);
		assertThat(outcomes).hasSize(300);
		assertThat(outcomes.get(150)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(outcomes.stream().filter(RenewalOutcome.Renewed.class::isInstance)).hasSize(299);
	}

	@Test
	void renewalWithAnotherNumberIsNotTheOwners() {
		Claim claim = claim("a");
		long number = granted(claim).number();
		assertThat(renew(claim, number - 1, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
	}

	@Test
	void numberIsAtLeastTheDatabasesClock() throws SQLException {
		long before = databaseClock();
		long number = granted(claim("a")).number();
		assertThat(number).isBetween(before, databaseClock()).isLessThan(1L << 57);
	}

	@Test
	void numberGrowsEvenIfTheDatabasesClockWasSetBack() throws SQLException {
		Claim claim = claim("a");
		granted(claim);
		release(claim);
		long future = databaseClock() + TimeUnit.DAYS.toMicros(1);
		execute("UPDATE leasehold_lock SET grant_number = %d WHERE namespace = '%s'".formatted(future, this.namespace));
		assertThat(granted(claim("a")).number()).isEqualTo(future + 1);
	}

	@Test
	void newKeysThatManyRaceForHaveOneOwnerEach() throws Exception {
		Map<String, AtomicInteger> grants = new ConcurrentHashMap<>();
		CyclicBarrier start = new CyclicBarrier(8);
		inParallel(8, () -> {
			start.await();
			for (int i = 0; i < 400; i++) {
				String key = "new:" + i;
				if (this.engine.tryAcquire(claim(key)) instanceof AcquisitionOutcome.Granted) {
					grants.computeIfAbsent(key, (absent) -> new AtomicInteger()).incrementAndGet();
				}
			}
			return null;
		});
		assertThat(grants).hasSize(400);
		assertThat(grants.values()).allMatch((count) -> count.get() == 1);
	}

	@Test
	void hotKeyHasOneOwnerAtATimeAndGrowingNumbers() throws Exception {
		AtomicInteger owners = new AtomicInteger();
		AtomicLong last = new AtomicLong();
		AtomicInteger grants = new AtomicInteger();
		List<String> faults = Collections.synchronizedList(new ArrayList<>());
		long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
		inParallel(8, () -> {
			while (System.nanoTime() - end < 0 || grants.get() < ENOUGH) {
				Claim claim = claim("hot");
				if (this.engine.tryAcquire(claim) instanceof AcquisitionOutcome.Granted granted) {
					if (owners.incrementAndGet() != 1) {
						faults.add("two owners");
					}
					long before = last.getAndSet(granted.number());
					if (before >= granted.number()) {
						faults.add(granted.number() + " came after " + before);
					}
					grants.incrementAndGet();
					owners.decrementAndGet();
					release(claim);
				}
			}
			return null;
		});
		assertThat(faults).isEmpty();
	}

	/** Keys that the collations of databases take for one. */
	@Test
	@Fault(67)
	void keysThatCollationsTakeForOneAreDifferentLocks() {
		List<String> keys = List.of("order-a", "ORDER-A", "order-a ", " order-a", "order-\u00e9", "order-e",
				"order-e\u0301", "stra\u00dfe", "strasse", "\ud83c\udf63", "\ud83c\udf7a", "1", "01", "\u0130", "i",
				"I");
		keys.forEach((key) -> granted(claim(key)));
		keys.forEach((key) -> busy(claim(key)));
	}

	/** Keys that are long, alike up to the end, or code of some kind. */
	@Test
	@Fault({ 68, 69, 71 })
	void hostileKeysAreJustKeys() throws SQLException {
		String nines = "9".repeat(LockKey.MAX_BYTES - 1);
		String fish = "\ud83c\udf63".repeat(LockKey.MAX_BYTES / 4);
		List<String> keys = List.of(nines + "1", nines + "2", "\u0000", "a\u0000", "a\u0000b", "a", "a\r\nb", "{a}",
				"'; DROP TABLE leasehold_lock; --", "\"", "\\", "\\'", "%", "%00", "_", "*", "a:b", "?", "${a}", "/..",
				"\u0000".repeat(LockKey.MAX_BYTES), fish);
		keys.forEach((key) -> granted(claim(key)));
		keys.forEach((key) -> busy(claim(key)));
		Set<String> readable = new HashSet<>();
		try (Connection connection = connection();
				Statement statement = connection.createStatement();
				ResultSet rows = statement
					.executeQuery("SELECT lock_key FROM leasehold_lock WHERE namespace = '" + this.namespace + "'")) {
			while (rows.next()) {
				readable.add(rows.getString(1));
			}
		}
		assertThat(readable).hasSize(keys.size()).contains("a%00b", "a%0D%0Ab", fish);
	}

	@Test
	void namespacesAreApart() {
		granted(claim("a"));
		assertThat(stranger().tryAcquire(claim("a"))).isInstanceOf(AcquisitionOutcome.Granted.class);
	}

	@Test
	void minHoldKeepsAReleasedKeyClosed() {
		Claim claim = claim("a", LEASE, Duration.ofSeconds(20));
		granted(claim);
		release(claim);
		busy(claim("a"));
		assertThat(this.engine.inspect(claim.key())).isEmpty();
	}

	@Test
	void minHoldKeepsAnOrphanedKeyClosedToItsEnd() {
		Duration minHold = Duration.ofMillis(800);
		long start = System.nanoTime();
		long number = granted(claim("a", Duration.ofMillis(10), minHold)).number();
		long nextNumber = grantedAtLast(claim("a")).number();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(minHold);
		assertThat(nextNumber).isGreaterThan(number);
	}

	@Test
	void minHoldDoesNotOutliveItsGrant() {
		Claim claim = claim("a", LEASE, Duration.ofMillis(50));
		granted(claim);
		release(claim);
		Claim next = claim("a");
		grantedAtLast(next);
		release(next);
		granted(claim("a"));
	}

	@Test
	void releaseStandsBackForAnotherThatWaits() {
		JdbcLockEngine patient = patientEngine();
		Claim holder = claim("a");
		granted(holder);
		Claim waiting = waiting(this.other, "a", Duration.ofMinutes(1));
		assertThat(busy(patient, waiting).retryIn()).isPositive().isLessThanOrEqualTo(LONG_POLL);
		assertThat(standBack(patient, holder)).isPositive().isLessThanOrEqualTo(LONG_POLL);
		granted(patient, waiting);
		assertThat(patient.release(waiting)).as("its own mark is gone").isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void markIsWrittenOnlyWhenThePresentOneRunsOutBeforeTheNextPoll() throws SQLException {
		JdbcLockEngine patient = patientEngine();
		granted(claim("a"));
		List<Object> unmarked = row("a");
		patient.tryAcquire(waiting(this.other, "a", Duration.ofMinutes(1)));
		List<Object> marked = row("a");
		assertThat(marked).isNotEqualTo(unmarked);
		patient.tryAcquire(waiting(this.member, "a", Duration.ofMillis(1)));
		assertThat(row("a")).isEqualTo(marked);
	}

	@Test
	void claimThatDoesNotWaitLeavesNoMark() {
		Claim holder = claim("a");
		granted(holder);
		patientEngine().tryAcquire(claim("a"));
		assertThat(this.engine.release(holder)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void pollsSlowDownWithTheTimeWaited() {
		granted(claim("a"));
		long start = System.nanoTime();
		Duration first = busy(waiting(this.other, "a", Duration.ZERO)).retryIn();
		Duration waited = Duration.ofNanos(System.nanoTime() - start);
		assertThat(first).isBetween(POLL_MIN, POLL_MIN.plus(waited.dividedBy(2)));
		assertThat(busy(waiting(this.other, "a", Duration.ofMinutes(1))).retryIn()).isBetween(Duration.ofMillis(75),
				Duration.ofMillis(100));
	}

	@Test
	void nextPollComesRightAfterTheEndOfTheHoldersLease() {
		granted(claim("a", Duration.ofSeconds(8), Duration.ZERO));
		assertThat(patientEngine().tryAcquire(waiting(this.other, "a", Duration.ofMinutes(1)))).isInstanceOfSatisfying(
				AcquisitionOutcome.Busy.class,
				(busy) -> assertThat(busy.retryIn()).isLessThanOrEqualTo(Duration.ofMillis(8001)));
	}

	@Test
	void releaseOfWhatIsNotOwnedIsReported() {
		assertThat(this.engine.release(claim("a"))).isInstanceOf(ReleaseOutcome.NotOwner.class);
		granted(claim("a"));
		assertThat(this.engine.release(claim("a"))).isInstanceOf(ReleaseOutcome.NotOwner.class);
		busy(claim("a"));
	}

	@Test
	void holderIsShown() throws SQLException {
		Claim claim = claim("a");
		assertThat(this.engine.inspect(claim.key())).isEmpty();
		long before = databaseClock();
		long number = granted(claim).number();
		long after = databaseClock();
		assertThat(this.engine.inspect(claim.key())).singleElement().satisfies((holder) -> {
			assertThat(holder.application()).isEqualTo("shop");
			assertThat(holder.number()).isEqualTo(number);
			long since = TimeUnit.SECONDS.toMicros(holder.since().getEpochSecond()) + holder.since().getNano() / 1000;
			assertThat(since).isBetween(before, after);
			assertThat(holder.remaining()).isBetween(LEASE.minusSeconds(20), LEASE);
		});
		release(claim);
		assertThat(this.engine.inspect(claim.key())).isEmpty();
	}

	@Test
	void idleRowsAreRemovedAndComeBackWithAGreaterNumber() throws SQLException {
		hold(5).forEach((renewal) -> release(renewal.claim()));
		long number = granted(claim("again")).number();
		age(Duration.ofDays(8));
		granted(claim("used"));
		assertThat(this.engine.removeIdle(4)).isEqualTo(4);
		assertThat(this.engine.removeIdle(4)).isEqualTo(2);
		assertThat(this.engine.removeIdle(4)).isZero();
		assertThat(rows()).isEqualTo(1);
		assertThat(granted(claim("again")).number()).isGreaterThan(number);
	}

	/** A call has too little time for a commit each where commits are slow. */
	@Test
	void idleRowsAreRemovedTogether() throws SQLException {
		hold(100).forEach((renewal) -> release(renewal.claim()));
		age(Duration.ofDays(8));
		this.statements.clear();
		assertThat(this.engine.removeIdle(100)).isEqualTo(100);
		assertThat(this.statements.executed()).hasSize(3);
		assertThat(rows()).isZero();
	}

	@Test
	void allIdleRowsAreRemovedInBatches() throws SQLException {
		hold(JdbcLockEngine.PURGED_AT_ONCE + 1).forEach((renewal) -> release(renewal.claim()));
		age(Duration.ofDays(8));
		this.engine.removeIdle();
		assertThat(rows()).isZero();
	}

	@Test
	void rowsThatAreHeldOrClosedOrNotIdleForLongAreKept() throws SQLException {
		Claim idle = claim("idle");
		granted(idle);
		release(idle);
		age(Duration.ofDays(6));
		granted(claim("held"));
		Claim closed = claim("closed", LEASE, Duration.ofDays(1));
		granted(closed);
		release(closed);
		assertThat(this.engine.removeIdle(100)).isZero();
		assertThat(rows()).isEqualTo(3);
	}

	@Test
	void idleRowsOfOtherNamespacesAreKept() throws SQLException {
		hold(1);
		age(Duration.ofDays(8));
		stranger().removeIdle(100);
		assertThat(rows()).isEqualTo(1);
	}

	/** A missing table is reported at startup, with the location of its script. */
	@Test
	@Fault(49)
	void missingTableIsNamedWithWhatToDo() {
		JdbcLockEngine lost = engine(settings("no_such_table", Duration.ofSeconds(5)));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(lost::start)
			.withMessageContaining("'no_such_table' or 'no_such_table_holder' is missing")
			.withMessageContaining(LockTableScript.location(platform()))
			.withMessageContaining("leasehold.jdbc.initialize-schema=always")
			.matches((ex) -> !ex.isRetryable());
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> lost.tryAcquire(claim("a")))
			.withMessageContaining("lock 'a'")
			.matches((ex) -> !ex.isRetryable() && "a".equals(ex.getKey()));
		assertThat(lost.renew(List.of(new Renewal(claim("a"), 1, LEASE)))).singleElement()
			.isInstanceOf(RenewalOutcome.Unknown.class);
	}

	/** So is one that is not what it should be. */
	@Test
	@Fault(49)
	void tableWithOtherColumnsIsNamed() throws SQLException {
		String table = "short_" + UUID.randomUUID().toString().substring(0, 8);
		execute("CREATE TABLE " + table + " (id INT)");
		assertThatExceptionOfType(LockEngineException.class)
			.isThrownBy(engine(settings(table, Duration.ofSeconds(5)))::start)
			.withMessageContaining("table '%1$s' or '%1$s_holder' lacks a required column".formatted(table))
			.matches((ex) -> !ex.isRetryable());
	}

	@Test
	void engineStartsWithItsTable() {
		this.engine.start();
		granted(claim("a"));
	}

	/** Leases are the same in every time zone of a process. */
	@Test
	@Fault(45)
	void timeZoneOfTheJvmDoesNotMatter() throws SQLException {
		Claim claim = claim("a", Duration.ofMinutes(5), Duration.ZERO);
		granted(claim);
		TimeZone zone = TimeZone.getDefault();
		try {
			TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Kiritimati"));
			assertSameTimesElsewhere(claim);
		}
		finally {
			TimeZone.setDefault(zone);
		}
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

	/** Locks have connections of their own, whatever the application does with its. */
	@Test
	@Fault(40)
	void poolThatTheApplicationHasEmptiedDoesNotStandInTheWay() throws SQLException {
		try (JdbcConnections application = connect(url(), 1, Duration.ofMillis(500));
				Connection taken = application.dataSource().getConnection();
				JdbcLockEngine apart = new JdbcLockEngine(connect(url(), 1, Duration.ofSeconds(5)),
						settings(Duration.ofSeconds(5)), MonotonicClock.SYSTEM)) {
			assertThat(taken.isClosed()).isFalse();
			Claim claim = claim("a");
			long number = ((AcquisitionOutcome.Granted) apart.tryAcquire(claim)).number();
			assertThat(apart.renew(List.of(new Renewal(claim, number, LEASE)))).singleElement()
				.isInstanceOf(RenewalOutcome.Renewed.class);
			assertThat(apart.release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	/** Without any connection a call fails in time and says so. */
	@Test
	@Fault(40)
	void emptyPoolIsABoundedFailureThatMayPass() throws SQLException {
		try (HikariDataSource poor = new HikariDataSource()) {
			poor.setJdbcUrl(url());
			poor.setMaximumPoolSize(1);
			poor.setConnectionTimeout(500);
			JdbcLockEngine apart = new JdbcLockEngine(JdbcConnections.of(poor), settings(Duration.ofMillis(500)),
					MonotonicClock.SYSTEM);
			Connection taken = poor.getConnection();
			assertThat(taken.isClosed()).isFalse();
			Pace start = Pace.begin();
			assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> apart.tryAcquire(claim("a")))
				.withMessageContaining("lock 'a'")
				.matches(LockEngineException::isRetryable);
			assertThat(start.elapsed()).isLessThan(start.slack(Duration.ofSeconds(3)));
		}
	}

	/** A row that another session has locked fails alone: all others are renewed. */
	@Test
	@Fault(56)
	void rowLockedBySomebodyElseFailsTheRenewalOfNoOther() throws SQLException {
		List<Renewal> renewals = hold(20);
		Duration timeout = Duration.ofSeconds(2);
		try (JdbcLockEngine apart = new JdbcLockEngine(connect(url(), 2, timeout), settings(timeout),
				MonotonicClock.SYSTEM);
				Connection operator = connection();
				Statement statement = operator.createStatement()) {
			assertThat(apart.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			operator.setAutoCommit(false);
			statement.executeUpdate("UPDATE leasehold_lock SET version = version + 1 WHERE namespace = '"
					+ this.namespace + "' AND lock_key = 'held 7'");
			List<RenewalOutcome> outcomes = new ArrayList<>(apart.renew(renewals));
			assertThat(outcomes.remove(7)).isInstanceOf(RenewalOutcome.Unknown.class);
			assertThat(outcomes).hasSize(19).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
			operator.rollback();
			assertThat(apart.renew(renewals)).hasOnlyElementsOfType(RenewalOutcome.Renewed.class);
		}
	}

	@Test
	void closedEngineRefuses() {
		JdbcLockEngine closed = engine(settings(Duration.ofSeconds(5)));
		closed.close();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> closed.tryAcquire(claim("a")))
			.matches((ex) -> !ex.isRetryable());
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

	private static JdbcSettings settings(String namespace, String table, Duration callTimeout, Duration pollMax) {
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

	private JdbcLockEngine stranger() {
		return engine(settings(this.namespace + "x", JdbcSettings.DEFAULT_TABLE, Duration.ofSeconds(5), LONG_POLL));
	}

	final Claim claim(String key) {
		return claim(key, LEASE, Duration.ZERO);
	}

	final Claim claim(String key, Duration lease, Duration minHold) {
		return new Claim(new LockKey(key), this.member.newOwner(), lease, minHold, false, System.nanoTime());
	}

	private static Claim waiting(Member member, String key, Duration since) {
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

	private List<Renewal> hold(int count) {
		List<Renewal> renewals = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Claim claim = claim("held " + i);
			renewals.add(new Renewal(claim, granted(claim).number(), LEASE));
		}
		return renewals;
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

}
