package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.RenewalOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Rules by which grants are renewed and released. Each write drops what is seen to have
 * ended.
 */
final class Places {

	private Places() {
	}

	static Step<RenewalOutcome> renew(Sight sight, Renewal renewal) {
		Place own = sight.heldBy(renewal.claim().owner().token());
		if (own == null || own.number() != renewal.number()) {
			return Step.of(new RenewalOutcome.NotOwner(), withoutEnded(sight, renewal.claim()));
		}
		long lease = Math.max(Micros.of(renewal.lease()), sight.leaseLeft(own));
		return Step.write(extend(sight, own, lease),
				(sent) -> new RenewalOutcome.Renewed(MonotonicClock.validUntil(sent, Micros.toDuration(lease))));
	}

	/**
	 * Return the record without a claim's place that has ended, so that processes that
	 * have not seen it end need not wait; {@code null} if there is no such place.
	 */
	private static @Nullable LockRecord withoutEnded(Sight sight, Claim claim) {
		LockRecord record = sight.record();
		boolean ended = record.places()
			.stream()
			.anyMatch((place) -> place.owner().equals(claim.owner().token()) && sight.left(place) <= 0);
		return ended ? record.next(record.last(), sight.mark(), sight.taken()) : null;
	}

	/** Return the record with a longer lease of one of its places. */
	static LockRecord extend(Sight sight, Place own, long lease) {
		LockRecord record = sight.record();
		Place extended = own.renewed(lease, sight.closedLeft(own), record.writes() + 1);
		List<Place> places = sight.taken().stream().map((place) -> (place == own) ? extended : place).toList();
		return record.next(record.last(), sight.mark(), places);
	}

	/**
	 * Release a claim.
	 * @param write whether to write even if nothing changes, so that an earlier request
	 * of the claim, which may still arrive, finds another record than it expects
	 * @param most maximum time to stand back
	 */
	static Step<ReleaseOutcome> release(Sight sight, Claim claim, boolean write, Duration most) {
		LockRecord record = sight.record();
		Mark mark = sight.mark();
		Place own = sight.heldBy(claim.owner().token());
		if (own != null) {
			LockRecord next = record.next(record.last(), mark, released(sight, List.of(own)));
			ReleaseOutcome released = new ReleaseOutcome.Released(standBack(mark, claim, most));
			return Step.write(next, (sent) -> released);
		}
		boolean leaves = mark != null && claim.waits() && mark.isOf(claim.owner().memberId(), claim.access());
		if (!leaves && !write) {
			return Step.of(new ReleaseOutcome.NotOwner(), withoutEnded(sight, claim));
		}
		return Step.write(record.next(record.last(), leaves ? null : mark, sight.taken()),
				(sent) -> new ReleaseOutcome.NotOwner());
	}

	/** Return the places that are left if some of their owners release them. */
	private static List<Place> released(Sight sight, List<Place> releasing) {
		List<Place> left = new ArrayList<>();
		for (Place place : sight.taken()) {
			long closed = sight.closedLeft(place);
			if (!releasing.contains(place)) {
				left.add(place);
			}
			else if (closed > 0) {
				left.add(place.released(closed, sight.record().writes() + 1));
			}
		}
		return left;
	}

	private static Duration standBack(@Nullable Mark mark, Claim claim, Duration most) {
		if (mark == null || mark.member().equals(claim.owner().memberId())) {
			return Duration.ZERO;
		}
		Duration poll = Micros.toDuration(mark.poll());
		return (poll.compareTo(most) < 0) ? poll : most;
	}

	/** Release all places by force: minimum holds continue, lock delays end. */
	static Step<List<Place>> releaseAll(Sight sight) {
		LockRecord record = sight.record();
		List<Place> held = held(sight);
		List<Place> taken = sight.taken();
		if (taken.isEmpty()) {
			return Step.of(List.of());
		}
		return Step.write(record.next(record.last(), sight.mark(), released(sight, taken)), (sent) -> held);
	}

	static List<Place> held(Sight sight) {
		return sight.record().places().stream().filter(sight::isHeld).toList();
	}

}
