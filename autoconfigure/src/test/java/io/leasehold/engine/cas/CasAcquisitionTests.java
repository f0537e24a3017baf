package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Contradicted;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Owner;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.cas.CasRecords.EXCLUSIVE;
import static io.leasehold.engine.cas.CasRecords.SHARED;
import static io.leasehold.engine.cas.CasRecords.claim;
import static io.leasehold.engine.cas.CasRecords.fresh;
import static io.leasehold.engine.cas.CasRecords.next;
import static io.leasehold.engine.cas.CasRecords.place;
import static io.leasehold.engine.cas.CasRecords.record;
import static io.leasehold.engine.cas.CasRecords.seen;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the rules of {@link Acquisition}, at their limits.
 */
class CasAcquisitionTests {

	private static final long SECOND = 1_000_000;

	private static final long SENT = 7;

	private static final Duration POLL_MIN = Duration.ofMillis(20);

	private static final CasSettings SETTINGS = new CasSettings("test", Duration.ofSeconds(1), POLL_MIN,
			Duration.ofMillis(500), Duration.ofDays(1));

	private final Owner owner = Member.of("test").newOwner();

	private long wallClock = 5000;

	@Test
	void grantIsNumberedAfterTheLastOneAndTheWallClock() {
		Claim claim = claim(this.owner, EXCLUSIVE, Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofSeconds(3),
				false);
		Step<AcquisitionOutcome> step = decide(claim, fresh(record(null)));
		Place own = new Place(this.owner.token(), EXCLUSIVE, 5000, 5, 2 * SECOND, 3 * SECOND, 5 * SECOND, 11);
		assertThat(step.next()).isEqualTo(new LockRecord(11, 5000, null, List.of(own)));
		assertThat(step.optional()).isFalse();
		assertThat(step.result().apply(SENT))
			.isEqualTo(new Granted(5000, MonotonicClock.validUntil(SENT, Duration.ofSeconds(2))));
		this.wallClock = 101;
		assertThat(decide(claim, fresh(record(null))).next().last()).isEqualTo(101);
		this.wallClock = 100;
		assertThat(decide(claim, fresh(record(null))).next().last()).isEqualTo(101);
	}

	@Test
	void grantOfItsMarkRemovesIt() {
		Mark other = mark(Member.of("other"), SHARED, SECOND);
		Step<AcquisitionOutcome> step = decide(claim(this.owner, SHARED, false), fresh(record(other)));
		assertThat(step.result().apply(SENT)).isInstanceOf(Granted.class);
		assertThat(step.next().mark()).isNull();
	}

	@Test
	void readerJoinsOthersAndDropsThoseThatHaveEnded() {
		Place held = place("other", SHARED, SECOND, 0, 0, 3);
		Place ended = place("ended", SHARED, SECOND, 0, 0, 4);
		Step<AcquisitionOutcome> step = decide(claim(this.owner, SHARED, false),
				seen(record(null, held, ended), Map.of(4L, 2 * SECOND)));
		assertThat(step.next().places()).hasSize(2).startsWith(held);
		assertThat(step.next().places()).extracting(Place::owner).containsExactly("other", this.owner.token());
	}

	@Test
	void lastPlaceOfARecordIsGranted() {
		List<Place> places = new ArrayList<>();
		for (int i = 1; i < Acquisition.MOST_HOLDERS; i++) {
			places.add(place("reader-" + i, SHARED, SECOND, 0, 0, i));
		}
		Claim claim = claim(this.owner, SHARED, false);
		LockRecord record = record(null, places.toArray(Place[]::new));
		assertThat(decide(claim, fresh(record)).result().apply(SENT)).isInstanceOf(Granted.class);
		places.add(place("last", SHARED, SECOND, 0, 0, 300));
		assertThat(decide(claim, fresh(record(null, places.toArray(Place[]::new)))).result().apply(SENT))
			.isInstanceOf(Busy.class);
	}

	@Test
	void ownPlaceIsFoundAgainAndNeverShortened() {
		Place own = place(this.owner.token(), EXCLUSIVE, 3 * SECOND, 0, 0, 4);
		Mark mark = mark(Member.of("other"), SHARED, SECOND);
		Step<AcquisitionOutcome> step = decide(claim(this.owner, EXCLUSIVE, false),
				seen(record(mark, own), Map.of(4L, SECOND)));
		assertThat(step.next()).isEqualTo(next(mark, own.renewed(2 * SECOND, 0, 11)));
		assertThat(step.optional()).isFalse();
		assertThat(step.result().apply(SENT))
			.isEqualTo(new Granted(4, MonotonicClock.validUntil(SENT, Duration.ofSeconds(2))));
		step = decide(claim(this.owner, EXCLUSIVE, false), seen(record(mark, own), Map.of(4L, 5 * SECOND / 2)));
		assertThat(step.next().places()).containsExactly(own.renewed(SECOND, 0, 11));
	}

	@Test
	void heldPlaceOfAnotherNumberOfPermitsContradicts() {
		Place held = place("other", Access.permits(3), SECOND, SECOND, 0, 4);
		Claim claim = claim(this.owner, Access.permits(2), true);
		Step<AcquisitionOutcome> step = decide(claim, fresh(record(null, held)));
		assertThat(step.result().apply(SENT)).isEqualTo(new Contradicted(Access.permits(3)));
		assertThat(step.next()).isNull();
		Mark own = mark(claim, SECOND, SECOND);
		assertThat(decide(claim, fresh(record(own, held))).next()).isEqualTo(next(null, held));
		Mark other = mark(Member.of("other"), Access.permits(2), SECOND);
		assertThat(decide(claim, fresh(record(other, held))).next()).isNull();
		Mark ofAnotherAccess = mark(claim(this.owner, SHARED, true), SECOND, SECOND);
		assertThat(decide(claim, fresh(record(ofAnotherAccess, held))).next()).isNull();
	}

	/** Its owner is gone; the key is only locked for the delay. */
	@Test
	void lockDelayOfAnotherNumberOfPermitsDoesNotContradict() {
		Place ended = place("other", Access.permits(3), SECOND, 9 * SECOND, 0, 4);
		Step<AcquisitionOutcome> step = decide(claim(this.owner, Access.permits(2), false),
				seen(record(null, ended), Map.of(4L, 2 * SECOND)));
		assertThat(step.result().apply(SENT)).isInstanceOf(Busy.class);
	}

	@Test
	void firstPollIsTheShortest() {
		assertThat(busyFor(0, place("other", EXCLUSIVE, 100 * SECOND, 0, 0, 4))).isEqualTo(POLL_MIN);
	}

	@Test
	void pollsGrowWithHalfOfTheWait() {
		Place other = place("other", EXCLUSIVE, 100 * SECOND, 0, 0, 4);
		for (int i = 0; i < 100; i++) {
			assertThat(busyFor(200, other)).isBetween(Duration.ofMillis(75), Duration.ofMillis(100));
			assertThat(busyFor(60_000, other)).isBetween(Duration.ofMillis(375), Duration.ofMillis(500));
		}
	}

	@Test
	void pollForAnExpiryArrivesAMillisecondAfterIt() {
		Place brief = place("brief", SHARED, 10_000, 0, 0, 4);
		Place longer = place("longer", SHARED, 12_000, 0, 0, 5);
		Duration afterBrief = Duration.ofMillis(11).plusNanos(101_000);
		Duration afterLonger = Duration.ofMillis(13).plusNanos(121_000);
		assertThat(busyFor(0, brief)).isEqualTo(afterBrief);
		assertThat(busyFor(0, brief, longer)).as("all readers have to leave").isEqualTo(afterLonger);
		assertThat(busyFor(0, longer, brief)).isEqualTo(afterLonger);
		Access pair = Access.permits(2);
		Sight full = fresh(record(null, place("one", pair, 12_000, 0, 0, 4), place("two", pair, 10_000, 0, 0, 5)));
		assertThat(busy(decide(claim(this.owner, pair, false), full))).as("one permit is enough").isEqualTo(afterBrief);
	}

	@Test
	void freeKeyIsBusyWhileAMarkOfAnotherAccessCounts() {
		Mark mark = mark(Member.of("other"), EXCLUSIVE, 10_000);
		Step<AcquisitionOutcome> step = decide(claim(this.owner, SHARED, false), fresh(record(mark)));
		assertThat(busy(step)).isEqualTo(Duration.ofMillis(11).plusNanos(101_000));
		assertThat(step.next()).as("a short attempt removes it").isEqualTo(next(null));
		assertThat(step.optional()).isTrue();
		assertThat(decide(claim(this.owner, SHARED, true), fresh(record(mark))).next()).isNull();
	}

	@Test
	void shortAttemptOnATakenKeyWritesNothing() {
		Place held = place("other", EXCLUSIVE, SECOND, 0, 0, 4);
		assertThat(decide(claim(this.owner, SHARED, false), fresh(record(null, held))).next()).isNull();
	}

	@Test
	void waitingClaimLeavesAMarkThatCountsForTwoPolls() {
		Place held = place("other", EXCLUSIVE, SECOND, 0, 0, 4);
		Step<AcquisitionOutcome> step = decide(claim(this.owner, SHARED, true), fresh(record(null, held)));
		assertThat(step.next()).isEqualTo(next(new Mark(this.owner.memberId(), SHARED, 40_000, 3 * SECOND, 11), held));
		assertThat(step.optional()).isTrue();
	}

	@Test
	void keyThatOutlivesALeaseIsNotMarked() {
		Claim claim = claim(this.owner, EXCLUSIVE, true);
		for (Place held : List.of(place("other", EXCLUSIVE, SECOND, 1, 0, 4),
				place("other", EXCLUSIVE, SECOND, 0, SECOND + 1, 4))) {
			assertThat(decide(claim, fresh(record(null, held))).next()).isNull();
		}
		Place closed = place("other", EXCLUSIVE, SECOND, 0, SECOND, 4);
		assertThat(decide(claim, fresh(record(null, closed))).next()).isNotNull();
	}

	@Test
	void ownMarkIsWrittenAgainForALongerPollOrAfterHalfOfItsLife() {
		Claim claim = claim(this.owner, EXCLUSIVE, true);
		assertThat(marks(claim, mark(claim, 20_000, 2 * SECOND), 0)).as("of this poll").isFalse();
		assertThat(marks(claim, mark(claim, 19_999, 2 * SECOND), 0)).as("of a shorter poll").isTrue();
		// A mark counts for a percent more than its life, and for a microsecond
		assertThat(marks(claim, mark(claim, 20_000, 2 * SECOND), SECOND + 20_001)).as("half of its life").isFalse();
		assertThat(marks(claim, mark(claim, 20_000, 2 * SECOND), SECOND + 20_002)).as("less than half").isTrue();
	}

	@Test
	void markOfAnotherProcessOrAccessIsKept() {
		Claim claim = claim(this.owner, EXCLUSIVE, true);
		assertThat(marks(claim, mark(Member.of("other"), EXCLUSIVE, SECOND), 0)).isFalse();
		assertThat(marks(claim, mark(claim(this.owner, SHARED, true), 1, SECOND), 0)).isFalse();
	}

	private boolean marks(Claim claim, Mark present, long age) {
		Place held = place("other", EXCLUSIVE, 100 * SECOND, 0, 0, 4);
		Step<AcquisitionOutcome> step = decide(claim, seen(record(present, held), Map.of(present.stamp(), age)));
		assertThat(step.result().apply(SENT)).isInstanceOf(Busy.class);
		return step.next() != null;
	}

	private static Mark mark(Member member, Access access, long life) {
		return new Mark(member.id(), access, 40_000, life, 9);
	}

	private static Mark mark(Claim claim, long poll, long life) {
		return new Mark(claim.owner().memberId(), claim.access(), poll, life, 9);
	}

	private Duration busyFor(long waitedMillis, Place... places) {
		return busy(new Acquisition(SETTINGS, claim(this.owner, EXCLUSIVE, false),
				Duration.ofMillis(waitedMillis).toNanos(), () -> this.wallClock)
			.decide(fresh(record(null, places))));
	}

	private static Duration busy(Step<AcquisitionOutcome> step) {
		return ((Busy) step.result().apply(SENT)).retryIn();
	}

	private Step<AcquisitionOutcome> decide(Claim claim, Sight sight) {
		return new Acquisition(SETTINGS, claim, 0, () -> this.wallClock).decide(sight);
	}

}
