package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys.Kept;
import io.leasehold.engine.Member;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Rows that a minimum hold keeps locked without an owner.
 */
abstract class JdbcKeptRowsTests extends JdbcLockRowsTests {

	static final Duration MIN_HOLD = Duration.ofMinutes(10);

	static final LockKey KEY = new LockKey("a");

	final Kept find() {
		return this.engine.keptKeys().find(KEY);
	}

	final Kept endMinHold() {
		return this.engine.keptKeys().open(KEY);
	}

	final Claim daily() {
		return claim("a", LEASE, MIN_HOLD);
	}

	final Instant now() throws SQLException {
		return Instant.EPOCH.plus(databaseClock(), ChronoUnit.MICROS);
	}

	@Test
	void releasedRowShowsItsLastOwner() throws SQLException {
		Claim claim = daily();
		Instant before = now();
		long number = granted(claim).number();
		Instant granted = now();
		release(claim);
		Kept kept = find();
		assertThat(kept.last()).isEqualTo(Holder.of(claim.owner().token(), number, kept.last().since(), null));
		assertThat(kept.last().since()).isBetween(before, granted);
		assertThat(kept.released()).isBetween(granted, now());
		assertThat(kept.remaining()).isBetween(MIN_HOLD.minusMinutes(5), MIN_HOLD);
		assertThat(this.engine.inspect(KEY)).isEmpty();
		passBy(MIN_HOLD);
		assertThat(find()).isNull();
		assertThat(endMinHold()).isNull();
	}

	/** Application, host and thread have maximum lengths. */
	@Test
	void longestOwnerFitsIntoAReleasedRow() {
		Claim claim = new Claim(KEY, Member.of("x".repeat(60)).newOwner("y".repeat(60)), LEASE, MIN_HOLD, false,
				System.nanoTime());
		granted(claim);
		release(claim);
		assertThat(find().last().application()).isEqualTo("x".repeat(40));
		assertThat(find().last().thread()).isEqualTo("y".repeat(40));
		int ownersColumn = 220;
		int longestHost = 60;
		int longestProcess = String.valueOf(Long.MAX_VALUE).length();
		Holder last = find().last();
		assertThat(1 + claim.owner().token().length() - last.host().length() - String.valueOf(last.process()).length()
				+ longestHost + longestProcess)
			.isLessThanOrEqualTo(ownersColumn);
	}

	@Test
	void rowIsNotKeptWhileItIsHeldOrFree() throws SQLException {
		assertThat(find()).isNull();
		Claim held = claim("a", Access.EXCLUSIVE, LEASE, MIN_HOLD, DELAY);
		granted(held);
		assertThat(find()).isNull();
		assertThat(endMinHold()).isNull();
		passBy(LEASE);
		assertThat(find()).as("within the lock delay").isNull();
		assertThat(endMinHold()).as("within the lock delay").isNull();
		busy(claim("a"));
		passBy(DELAY);
		passBy(MIN_HOLD);
		Claim other = claim("a");
		granted(other);
		release(other);
		assertThat(find()).as("released without a minimum hold").isNull();
		Claim shared = claim("a", Access.SHARED, LEASE, MIN_HOLD, Duration.ZERO);
		granted(shared);
		release(shared);
		assertThat(find()).as("shared").isNull();
		assertThat(endMinHold()).as("shared").isNull();
		busy(claim("a"));
	}

	@Test
	void ownerThatDiedDidNotReleaseTheRow() throws SQLException {
		Claim claim = claim("a", Access.EXCLUSIVE, LEASE, MIN_HOLD, DELAY);
		long number = granted(claim).number();
		passBy(LEASE.plus(DELAY));
		assertThat(this.engine.forceRelease(KEY)).isEmpty();
		Kept kept = find();
		assertThat(kept.released()).isNull();
		assertThat(kept.last().number()).isEqualTo(number);
		assertThat(kept.last().thread()).isEqualTo(Thread.currentThread().getName());
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(find()).extracting(Kept::last, Kept::released).containsExactly(kept.last(), null);
		assertThat(endMinHold().last()).isEqualTo(kept.last());
		granted(claim("a"));
	}

	@Test
	void forcedReleaseCountsAsARelease() throws SQLException {
		Claim claim = claim("a", Access.EXCLUSIVE, LEASE, MIN_HOLD, DELAY);
		long number = granted(claim).number();
		Instant before = now();
		assertThat(this.engine.forceRelease(KEY)).hasSize(1);
		Kept kept = find();
		assertThat(kept.released()).isBetween(before, now());
		assertThat(kept.last().number()).isEqualTo(number);
		assertThat(kept.last().application()).isEqualTo("shop");
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.engine.forceRelease(KEY)).isEmpty();
		assertThat(find()).extracting(Kept::last, Kept::released).containsExactly(kept.last(), kept.released());
		busy(claim("a"));
		endMinHold();
		granted(claim("a"));
	}

	/** Otherwise, the owner held the key again if the clock was set back. */
	@Test
	void forcedReleaseWithinTheLockDelayEndsTheOwner() throws SQLException {
		Claim claim = claim("a", Access.EXCLUSIVE, LEASE, MIN_HOLD, DELAY);
		long number = granted(claim).number();
		passBy(LEASE);
		Instant before = now();
		assertThat(this.engine.forceRelease(KEY)).isEmpty();
		Kept kept = find();
		assertThat(kept.released()).isBetween(before, now());
		passBy(LEASE.negated());
		assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(this.engine.inspect(KEY)).isEmpty();
		assertThat(find().last()).extracting(Holder::application, Holder::number).containsExactly("shop", number);
	}

	@Test
	void openedRowIsFreeAndItsNumbersGrow() throws SQLException {
		for (Duration lockDelay : List.of(Duration.ZERO, DELAY)) {
			Claim claim = claim("a", Access.EXCLUSIVE, LEASE, MIN_HOLD, lockDelay);
			long number = granted(claim).number();
			release(claim);
			Kept kept = find();
			assertThat(endMinHold()).extracting(Kept::last, Kept::released)
				.containsExactly(kept.last(), kept.released());
			assertThat(endMinHold()).isNull();
			assertThat(find()).isNull();
			Claim next = claim("a");
			assertThat(granted(next).number()).isGreaterThan(number);
			assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
			busy(claim("a"));
			release(next);
		}
	}

	@Test
	void lockDelayEndsWithTheReleaseOfAKeptRow() throws SQLException {
		Claim claim = claim("a", Access.EXCLUSIVE, LEASE, Duration.ofMinutes(1), MIN_HOLD);
		granted(claim);
		release(claim);
		passBy(Duration.ofMinutes(1));
		granted(claim("a"));
	}

	@Test
	void lateRequestsOfTheFormerOwnerChangeNothingEvenIfTheClockIsSetBack() throws SQLException {
		Claim claim = daily();
		long number = granted(claim).number();
		release(claim);
		passBy(Duration.ofSeconds(-20));
		List<Object> kept = row("a");
		assertThat(this.engine.release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(renew(claim, number, LEASE)).isInstanceOf(RenewalOutcome.NotOwner.class);
		busy(claim);
		assertThat(this.engine.inspect(KEY)).isEmpty();
		assertThat(this.engine.heldKeys().list("", null, 10).keys()).isEmpty();
		assertThat(row("a")).isEqualTo(kept);
		assertThat(this.engine.forceRelease(KEY)).isEmpty();
		assertThat(find().last().number()).isEqualTo(number);
		assertThat(endMinHold().last().application()).isEqualTo("shop");
	}

	/** Versions before removed the owner when it released the key. */
	@Test
	void rowWithoutAnOwnerThatIsKeptHasAnUnknownOne() throws SQLException {
		Claim claim = daily();
		long number = granted(claim).number();
		release(claim);
		execute(OURS.formatted("owner = NULL", this.namespace));
		Kept kept = find();
		assertThat(kept.last()).isEqualTo(Holder.of("", number, kept.last().since(), null));
		assertThat(kept.released()).isAfterOrEqualTo(kept.last().since());
		assertThat(endMinHold()).isNotNull();
		granted(claim("a"));
	}

	@Test
	void openingReportsTheOwnerWhoseMinimumHoldItEnds() throws SQLException {
		Claim claim = daily();
		granted(claim);
		release(claim);
		Claim next = daily();
		this.statements.before("UPDATE leasehold_lock SET version", () -> {
			try {
				passBy(MIN_HOLD);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
			granted(next);
			release(next);
		});
		long number = endMinHold().last().number();
		assertThat(number).isEqualTo(
				number("SELECT grant_number FROM leasehold_lock WHERE namespace = '%s'".formatted(this.namespace)));
		granted(claim("a"));
	}

	@Test
	void ownerOfAShortMinimumHoldIsRemoved() throws SQLException {
		Claim claim = daily();
		granted(claim);
		execute(OURS.formatted("closed_until = 1", this.namespace));
		release(claim);
		assertThat(number("SELECT COUNT(*) FROM leasehold_lock WHERE namespace = '%s' AND owner IS NULL"
			.formatted(this.namespace))).isOne();
		assertThat(find()).isNull();
	}

	@Test
	void keptRowsAreRemovedWhenTheyAreIdle() throws SQLException {
		Claim claim = daily();
		granted(claim);
		release(claim);
		passBy(Duration.ofDays(8));
		assertThat(this.engine.removeIdle(100)).isOne();
	}

}
