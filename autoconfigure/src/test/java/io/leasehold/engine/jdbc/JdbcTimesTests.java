package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Member;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the times that the engine computes in the JVM, on H2.
 */
class JdbcTimesTests {

	private static final LockKey KEY = new LockKey("a");

	private static final Duration CALL = Duration.ofMinutes(1);

	private static final JdbcSettings SETTINGS = H2Memory.settings(CALL);

	private final ManualClock clock = new ManualClock();

	private final Member member = Member.of("shop");

	private final JdbcConnections connections = H2Memory.open(2, CALL);

	private final JdbcLockEngine engine = new JdbcLockEngine(this.connections, SETTINGS, this.clock);

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void nextPollComesAfterHalfOfTheTimeWaitedOrALittleEarlier() {
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(this.engine.tryAcquire(claim())).isInstanceOf(AcquisitionOutcome.Granted.class);
		Claim waiting = claim();
		this.clock.advance(Duration.ofSeconds(4));
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOfSatisfying(AcquisitionOutcome.Busy.class,
				(busy) -> assertThat(busy.retryIn()).isBetween(Duration.ofMillis(1500), Duration.ofSeconds(2)));
	}

	@Test
	void clockOfTheDatabaseIsCarriedOnByThatOfTheJvm() throws SQLException {
		DatabaseClock database = new DatabaseClock(new Sql(new H2Dialect(), SETTINGS));
		assertThat(database.estimate()).isZero();
		try (Session session = session(CALL)) {
			long read = database.read(session);
			long began = System.nanoTime();
			long elapsed;
			do {
				elapsed = System.nanoTime() - began;
			}
			while (elapsed < Duration.ofMillis(20).toNanos());
			long estimate = database.estimate();
			assertThat(estimate).isBetween(read + elapsed / 1000, database.read(session) + 1_000_000);
		}
	}

	@Test
	void clockOfTheDatabaseIsReadOnceUnlessItIsInDoubt() throws SQLException {
		DatabaseClock database = new DatabaseClock(new Sql(new H2Dialect(), SETTINGS));
		try (Session session = session(CALL); Session withoutTime = session(Duration.ZERO)) {
			assertThatExceptionOfType(SQLTimeoutException.class).isThrownBy(() -> database.micros(withoutTime));
			assertThat(database.micros(session)).isPositive();
			assertThat(database.micros(withoutTime)).isPositive();
			database.doubt();
			assertThatExceptionOfType(SQLTimeoutException.class).isThrownBy(() -> database.micros(withoutTime));
		}
	}

	@Test
	void acquisitionWithoutAResponseMayTakeEffectUntilItsWaitForTheRowIsOver() throws SQLException {
		LateRequests late = new LateRequests(this.clock);
		Claim claim = claim();
		LockTables tables = LockTables.of(new H2Dialect(), SETTINGS, null);
		try (Session session = session(CALL)) {
			long before = tables.clock().read(session);
			session.execute("SHUTDOWN IMMEDIATELY");
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(acquisition(tables, late, session, claim)::attempt);
			long longest = Sql.micros(CALL.multipliedBy(2).plus(CALL));
			assertThat(late.until(claim)).isBetween(before + longest, tables.clock().estimate() + longest + 1_000_000);
		}
	}

	@Test
	void rejectedAcquisitionTakesNoEffectLater() throws SQLException {
		LateRequests late = new LateRequests(this.clock);
		Claim claim = claim();
		LockTables tables = LockTables.of(new H2Dialect(), SETTINGS, null);
		try (Session session = session(CALL)) {
			session.execute("DROP TABLE leasehold_lock_holder");
			session.execute("DROP TABLE leasehold_lock");
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(acquisition(tables, late, session, claim)::attempt);
			assertThat(late.until(claim)).isNull();
		}
	}

	private Acquisition acquisition(LockTables tables, LateRequests late, Session session, Claim claim) {
		return new Acquisition(SETTINGS, this.clock, late, session, tables, RowId.of("ns", KEY), claim);
	}

	private Session session(Duration left) throws SQLException {
		return this.connections.open(CallKind.ACQUIRE, System.nanoTime() + left.toNanos(), CALL);
	}

	private Claim claim() {
		return new Claim(KEY, this.member.newOwner(), Duration.ofMinutes(1), Duration.ZERO, false,
				this.clock.nanoTime());
	}

}
