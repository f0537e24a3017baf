package io.leasehold.engine.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * State of one key that is held, awaited or kept locked. Guarded by its own monitor.
 */
final class Slot {

	/** First grant that is not forgotten, in the order of grants. */
	private @Nullable Place first;

	/** In order of arrival; created by the first waiter. */
	private Map<Owner, Waiter> queue = Map.of();

	/** Whether this slot was removed, so that the key needs a new one. */
	boolean gone;

	/**
	 * Return a claim's grant, its lease extended if it was shorter, or null.
	 */
	AcquisitionOutcome.@Nullable Granted renew(Claim claim, long leaseNanos, long now) {
		for (Place place = this.first; place != null; place = place.next) {
			if (place.isOwnedBy(claim.owner()) && place.isHeld(now)) {
				place.extend(leaseNanos, now);
				return place.grant(now);
			}
		}
		return null;
	}

	/** Return the access of the key's holders if it contradicts a claim. */
	@Nullable Access contradictionOf(Claim claim, long now) {
		for (Place place = this.first; place != null; place = place.next) {
			if (place.isHeld(now) && claim.access().contradicts(place.access())) {
				return place.access();
			}
		}
		return null;
	}

	boolean isFreeFor(Claim claim, long now) {
		int taken = forgetFree(now);
		return this.first == null || claim.access().joins(this.first.access(), taken);
	}

	/** Remove the places that are free again, and return how many are left. */
	private int forgetFree(long now) {
		int taken = 0;
		Place before = null;
		for (Place place = this.first; place != null; place = place.next) {
			if (place.takenFor(now) > 0) {
				taken++;
				before = place;
			}
			else {
				putAfter(before, place.next);
			}
		}
		return taken;
	}

	private void putAfter(@Nullable Place before, @Nullable Place place) {
		if (before != null) {
			before.next = place;
		}
		else {
			this.first = place;
		}
	}

	boolean isUnused(long now) {
		return this.queue.isEmpty() && forgetFree(now) == 0;
	}

	AcquisitionOutcome.Granted grant(Claim claim, long number, boolean lingers, long now) {
		unqueue(claim.owner());
		Place place = new Place(claim, number, lingers, now);
		putAfter(last(), place);
		return place.grant(now);
	}

	/** Return the claim whose grant lingers, or null. */
	@Nullable Claim lingering(long now) {
		Place place = this.first;
		return (place != null && place.lingers(now)) ? place.claim() : null;
	}

	private @Nullable Place last() {
		Place last = this.first;
		while (last != null && last.next != null) {
			last = last.next;
		}
		return last;
	}

	/** Return how long the claim has to wait if nothing is released. */
	Duration retryIn(Claim claim, long now) {
		long wait = closedFor(now);
		Waiter waiter = this.queue.get(claim.owner());
		if (waiter != null) {
			waiter.retryAt = now + wait;
		}
		return Duration.ofNanos(wait);
	}

	/** Whether a waiter would miss the end of a present lease. */
	boolean isLate(Waiter waiter, long now) {
		return waiter.retryAt - (now + closedFor(now)) > 0;
	}

	private long closedFor(long now) {
		long least = (this.first != null) ? Long.MAX_VALUE : 0;
		for (Place place = this.first; place != null; place = place.next) {
			least = Math.min(least, place.takenFor(now));
		}
		return Math.max(1_000_000, least);
	}

	void enqueue(Claim claim) {
		if (this.queue.isEmpty()) {
			this.queue = new LinkedHashMap<>();
		}
		this.queue.computeIfAbsent(claim.owner(), (owner) -> new Waiter(claim));
	}

	@Nullable Waiter head() {
		return this.queue.isEmpty() ? null : this.queue.values().iterator().next();
	}

	/** Whether a claim does not wait, or must retry to learn its waiting time. */
	boolean mustRetry(Claim claim, long now) {
		Waiter waiter = this.queue.get(claim.owner());
		return waiter == null || isLate(waiter, now);
	}

	/** End a claim; return whether its owner held the key until now. */
	boolean release(Owner releasing, long now) {
		unqueue(releasing);
		boolean held = false;
		for (Place place = this.first; place != null; place = place.next) {
			if (place.isOwnedBy(releasing)) {
				held |= place.isHeld(now);
				place.free(now);
			}
		}
		return held;
	}

	/** Remove all owners; minimum holds continue. */
	void free(long now) {
		for (Place place = this.first; place != null; place = place.next) {
			place.free(now);
		}
	}

	/** Keep the free key for a claim's minimum hold, as if it had just been released. */
	void keep(Claim claim, long number, long now) {
		Place place = new Place(claim, number, false, now);
		place.free(now);
		this.first = place;
	}

	void lose() {
		this.first = null;
	}

	List<Holder> holders(long now) {
		List<Holder> holders = new ArrayList<>();
		for (Place place = this.first; place != null; place = place.next) {
			Holder holder = place.holder(now);
			if (holder != null) {
				holders.add(holder);
			}
		}
		return holders;
	}

	/** Return the claims in the queue, none if they wait for permits. */
	List<Holder> waiters(long now) {
		if (this.first != null && this.first.access().isPermit()) {
			return List.of();
		}
		return this.queue.values()
			.stream()
			.limit(HeldKeys.HeldKey.MOST_WAITERS)
			.map((waiter) -> Holder.of(waiter.claim.owner().token(), 0, Place.time(waiter.claim.since(), now), null))
			.toList();
	}

	/** Return the last holder if only its minimum hold keeps the key, or else null. */
	KeptKeys.@Nullable Kept kept(long now) {
		return (this.first != null) ? this.first.kept(now) : null;
	}

	void unqueue(Owner leaving) {
		if (!this.queue.isEmpty()) {
			this.queue.remove(leaving);
		}
	}

	/** Claim in the queue. */
	static final class Waiter {

		final Claim claim;

		long retryAt;

		Waiter(Claim claim) {
			this.claim = claim;
		}

	}

}
