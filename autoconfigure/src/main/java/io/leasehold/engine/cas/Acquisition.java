package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.support.Jitter;
import org.jspecify.annotations.Nullable;

/**
 * Rules by which a claim is granted or finds its key busy.
 *
 * @param settings settings of the engine
 * @param claim the claim
 * @param waited time since the start of the claim in nanoseconds
 * @param wallClock floor of grant numbers in microseconds
 */
record Acquisition(CasSettings settings, Claim claim, long waited, LongSupplier wallClock) {

	/** A record is rewritten for each of its holders, so it must stay small. */
	static final int MOST_HOLDERS = 256;

	/** Greater than that of other engines, because all waiting processes poll. */
	private static final double POLL_JITTER = 0.25;

	/** A poll for an expired lease should not arrive just before its end. */
	private static final long AFTER_EXPIRY = 1000;

	Step<AcquisitionOutcome> decide(Sight sight) {
		Place own = sight.heldBy(this.claim.owner().token());
		if (own != null) {
			return foundAgain(sight, own);
		}
		List<Place> taken = sight.taken();
		Mark mark = sight.mark();
		for (Place place : taken) {
			if (sight.isHeld(place) && this.claim.access().contradicts(place.access())) {
				return Step.of(new AcquisitionOutcome.Contradicted(place.access()), unmarked(sight, taken, mark));
			}
		}
		boolean passes = mark == null || mark.access().equals(this.claim.access());
		if (passes && taken.size() < MOST_HOLDERS && joins(taken)) {
			return grant(sight, taken);
		}
		return busy(sight, taken, mark);
	}

	private @Nullable LockRecord unmarked(Sight sight, List<Place> taken, @Nullable Mark mark) {
		LockRecord record = sight.record();
		boolean own = mark != null && mark.isOf(this.claim.owner().memberId(), this.claim.access());
		return own ? record.next(record.last(), null, taken) : null;
	}

	private boolean joins(List<Place> taken) {
		return taken.isEmpty() || this.claim.access().joins(taken.get(0).access(), taken.size());
	}

	/** A response was lost, or the grant was written later than its caller waited. */
	private Step<AcquisitionOutcome> foundAgain(Sight sight, Place own) {
		long lease = Math.max(Micros.of(this.claim.lease()), sight.leaseLeft(own));
		return Step.write(Places.extend(sight, own, lease), (sent) -> granted(own.number(), lease, sent));
	}

	private Step<AcquisitionOutcome> grant(Sight sight, List<Place> taken) {
		LockRecord record = sight.record();
		long wallClock = this.wallClock.getAsLong();
		long number = Math.max(record.last() + 1, wallClock);
		long lease = Micros.of(this.claim.lease());
		Place place = new Place(this.claim.owner().token(), this.claim.access(), number, wallClock / 1000, lease,
				Micros.of(this.claim.lockDelay()), Micros.of(this.claim.minHold()), record.writes() + 1);
		List<Place> places = new ArrayList<>(taken);
		places.add(place);
		// Those who wait for the same access have had their turn
		return Step.write(record.next(number, null, places), (sent) -> granted(number, lease, sent));
	}

	private static AcquisitionOutcome granted(long number, long lease, long sent) {
		return new AcquisitionOutcome.Granted(number, MonotonicClock.validUntil(sent, Micros.toDuration(lease)));
	}

	private Step<AcquisitionOutcome> busy(Sight sight, List<Place> taken, @Nullable Mark mark) {
		Duration poll = pollInterval();
		Duration free = Micros.toDuration(freeIn(sight, taken, mark) + AFTER_EXPIRY);
		Duration retryIn = (free.compareTo(poll) < 0) ? free : poll;
		AcquisitionOutcome busy = new AcquisitionOutcome.Busy(retryIn);
		LockRecord record = sight.record();
		if (this.claim.waits()) {
			return Step.of(busy, marked(sight, taken, mark, poll));
		}
		// The mark of a dead waiter must not refuse the short attempts of one process
		// after another
		return taken.isEmpty() ? Step.of(busy, record.next(record.last(), null, taken)) : Step.of(busy);
	}

	private long freeIn(Sight sight, List<Place> taken, @Nullable Mark mark) {
		if (taken.isEmpty()) {
			return (mark != null) ? sight.markLeft(mark) : 0;
		}
		LongStream left = taken.stream().mapToLong(sight::left);
		boolean oneIsEnough = this.claim.access().equals(taken.get(0).access());
		return (oneIsEnough ? left.min() : left.max()).orElse(0);
	}

	/**
	 * Return the record with the claim's mark, unless there is a mark. A write starts the
	 * entry's time to live anew, so keys that outlive a lease are not marked: their time
	 * to live is what ends them.
	 */
	private @Nullable LockRecord marked(Sight sight, List<Place> taken, @Nullable Mark present, Duration poll) {
		String member = this.claim.owner().memberId();
		boolean due = present == null || present.isOf(member, this.claim.access())
				&& (present.poll() < Micros.of(poll) || sight.markLeft(present) < present.life() / 2);
		if (!due || taken.stream().anyMatch(Place::outlivesItsLease)) {
			return null;
		}
		LockRecord record = sight.record();
		return record.next(record.last(), new Mark(member, this.claim.access(), Micros.of(poll.multipliedBy(2)),
				Micros.of(this.settings.markLife()), record.writes() + 1), taken);
	}

	/** Return half of the waited time, bounded, with jitter. */
	private Duration pollInterval() {
		long least = this.settings.pollMin().toNanos();
		long most = this.settings.pollMax().toNanos();
		long interval = Math.max(least, Math.min(most, this.waited / 2));
		Duration poll = Jitter.shorten(Duration.ofNanos(interval), POLL_JITTER);
		return (poll.toNanos() > least) ? poll : this.settings.pollMin();
	}

}
