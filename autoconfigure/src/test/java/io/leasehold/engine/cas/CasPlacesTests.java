package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Owner;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
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
 * Tests for the rules of {@link Places}, at their limits.
 */
class CasPlacesTests {

	private static final long SECOND = 1_000_000;

	/** A lease of a second is over for other processes after a percent more. */
	private static final long OVER = SECOND + SECOND / 100 + 1;

	private static final long SENT = 7;

	private static final Duration MOST = Duration.ofMillis(500);

	private final Owner owner = Member.of("test").newOwner();

	private final Claim claim = claim(this.owner, EXCLUSIVE, false);

	private final Claim waiting = claim(this.owner, EXCLUSIVE, true);

	private final Place own = place(this.owner.token(), EXCLUSIVE, SECOND, 0, 0, 4);

	private final Place other = place("other", SHARED, SECOND, 0, 0, 5);

	@Test
	void renewalExtendsTheLeaseAndKeepsTheRest() {
		Place closed = place(this.owner.token(), EXCLUSIVE, SECOND, 3, 2 * SECOND, 4);
		Mark mark = mark("another", 1000);
		Step<RenewalOutcome> step = renew(seen(record(mark, this.other, closed), Map.of(4L, SECOND / 2)), 4,
				Duration.ofSeconds(9));
		assertThat(step.next())
			.isEqualTo(next(mark, this.other, closed.renewed(9 * SECOND, 2 * SECOND - SECOND / 2, 11)));
		assertThat(step.optional()).isFalse();
		assertThat(step.result().apply(SENT))
			.isEqualTo(new RenewalOutcome.Renewed(MonotonicClock.validUntil(SENT, Duration.ofSeconds(9))));
	}

	@Test
	void renewalNeverShortensTheLease() {
		Step<RenewalOutcome> step = renew(seen(record(null, this.own), Map.of(4L, 1L)), 4, Duration.ofMillis(1));
		assertThat(step.next()).isEqualTo(next(null, this.own.renewed(SECOND - 1, 0, 11)));
		assertThat(step.result().apply(SENT))
			.isEqualTo(new RenewalOutcome.Renewed(MonotonicClock.validUntil(SENT, Micros.toDuration(SECOND - 1))));
	}

	@Test
	void renewalOfAnotherGrantOrOfNoneWritesNothing() {
		for (Step<RenewalOutcome> step : List.of(renew(fresh(record(null, this.own)), 3, MOST),
				renew(fresh(record(null, this.other)), 4, MOST))) {
			assertThat(step.result().apply(SENT)).isInstanceOf(RenewalOutcome.NotOwner.class);
			assertThat(step.next()).isNull();
		}
	}

	@Test
	void renewalOfAPlaceThatHasEndedRemovesIt() {
		Mark mark = mark("another", 1000);
		LockRecord record = record(mark, this.own, this.other);
		Step<RenewalOutcome> step = renew(seen(record, Map.of(4L, OVER)), 4, MOST);
		assertThat(step.result().apply(SENT)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(step.next()).isEqualTo(next(mark, this.other));
		assertThat(step.optional()).isTrue();
		assertThat(renew(seen(record, Map.of(4L, OVER - 1)), 4, MOST).result().apply(SENT))
			.isInstanceOf(RenewalOutcome.Renewed.class);
	}

	@Test
	void placeThatIsStillTakenIsNotRemovedByItsFormerOwner() {
		Place delayed = place(this.owner.token(), EXCLUSIVE, SECOND, SECOND, 0, 4);
		Sight sight = seen(record(null, delayed), Map.of(4L, OVER));
		assertThat(renew(sight, 4, MOST).result().apply(SENT)).isInstanceOf(RenewalOutcome.NotOwner.class);
		assertThat(renew(sight, 4, MOST).next()).isNull();
	}

	@Test
	void endedPlaceOfAnotherIsLeftToOthers() {
		assertThat(renew(seen(record(null, this.other), Map.of(5L, OVER)), 4, MOST).next()).isNull();
		assertThat(release(seen(record(null, this.other), Map.of(5L, OVER)), this.claim, false).next()).isNull();
	}

	@Test
	void releaseRemovesThePlaceAndWhatHasEnded() {
		Place ended = place("ended", SHARED, SECOND, 0, 0, 6);
		Mark mark = mark("another", 1000);
		Step<ReleaseOutcome> step = release(seen(record(mark, this.other, this.own, ended), Map.of(6L, OVER)),
				this.claim, false);
		assertThat(step.next()).isEqualTo(next(mark, this.other));
		assertThat(step.optional()).isFalse();
	}

	@Test
	void releaseKeepsTheRestOfAMinimumHold() {
		Place closed = place(this.owner.token(), EXCLUSIVE, SECOND, SECOND, 3 * SECOND, 4);
		assertThat(release(seen(record(null, closed), Map.of(4L, SECOND)), this.claim, false).next())
			.isEqualTo(next(null, closed.released(2 * SECOND, 11)));
		Place brief = place(this.owner.token(), EXCLUSIVE, SECOND, 0, 500, 4);
		assertThat(release(seen(record(null, brief), Map.of(4L, 499L)), this.claim, false).next())
			.isEqualTo(next(null, brief.released(1, 11)));
		assertThat(release(seen(record(null, brief), Map.of(4L, 500L)), this.claim, false).next())
			.isEqualTo(next(null));
	}

	@Test
	void releaseStandsBackForThePollOfAnotherProcess() {
		assertThat(standBack(null)).isZero();
		assertThat(standBack(mark(this.owner.memberId(), 1000))).isZero();
		assertThat(standBack(mark("another", 1000))).isEqualTo(Duration.ofMillis(1));
		assertThat(standBack(mark("another", 499_999))).isEqualTo(Micros.toDuration(499_999));
		assertThat(standBack(mark("another", 500_001))).isEqualTo(MOST);
	}

	@Test
	void releaseOfAClaimThatHoldsNothingWritesOnlyIfAnEarlierRequestMayArrive() {
		Sight sight = fresh(record(mark("another", 1000), this.other));
		Step<ReleaseOutcome> step = release(sight, this.waiting, false);
		assertThat(step.result().apply(SENT)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(step.next()).isNull();
		step = release(sight, this.waiting, true);
		assertThat(step.result().apply(SENT)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(step.next()).isEqualTo(next(mark("another", 1000), this.other));
		assertThat(step.optional()).isFalse();
	}

	@Test
	void waitingClaimThatLeavesRemovesTheMarkOfItsProcess() {
		Mark own = mark(this.owner.memberId(), 1000);
		assertThat(release(fresh(record(own, this.other)), this.waiting, false).next())
			.isEqualTo(next(null, this.other));
		assertThat(release(fresh(record(own, this.other)), this.claim, false).next()).isNull();
		Mark ofReaders = new Mark(this.owner.memberId(), SHARED, 1000, SECOND, 9);
		assertThat(release(fresh(record(ofReaders, this.other)), this.waiting, false).next()).isNull();
	}

	@Test
	void releaseOfAPlaceThatHasEndedRemovesIt() {
		Step<ReleaseOutcome> step = release(seen(record(null, this.own), Map.of(4L, OVER)), this.claim, false);
		assertThat(step.result().apply(SENT)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(step.next()).isEqualTo(next(null));
	}

	@Test
	void forcedReleaseEndsAllPlacesButMinimumHolds() {
		Place closed = place("closed", SHARED, SECOND, SECOND, 3 * SECOND, 6);
		Place delayed = place("delayed", SHARED, SECOND, 9 * SECOND, 0, 7);
		Mark mark = mark("another", 1000);
		Step<List<Place>> step = Places
			.releaseAll(seen(record(mark, this.other, closed, delayed), Map.of(7L, 2 * SECOND)));
		assertThat(step.next()).isEqualTo(next(mark, closed.released(3 * SECOND, 11)));
		assertThat(step.result().apply(SENT)).containsExactly(this.other, closed);
		assertThat(step.optional()).isFalse();
		Step<List<Place>> free = Places.releaseAll(seen(record(mark, this.other), Map.of(5L, OVER)));
		assertThat(free.next()).isNull();
		assertThat(free.result().apply(SENT)).isEmpty();
	}

	private Duration standBack(Mark mark) {
		ReleaseOutcome outcome = release(fresh(record(mark, this.own)), this.claim, false).result().apply(SENT);
		return ((ReleaseOutcome.Released) outcome).standBack();
	}

	private static Mark mark(String member, long poll) {
		return new Mark(member, EXCLUSIVE, poll, SECOND, 9);
	}

	private static Step<ReleaseOutcome> release(Sight sight, Claim claim, boolean write) {
		return Places.release(sight, claim, write, MOST);
	}

	private Step<RenewalOutcome> renew(Sight sight, long number, Duration lease) {
		return Places.renew(sight, new Renewal(this.claim, number, lease));
	}

}
