package io.leasehold.engine.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import io.leasehold.engine.Access;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Owner;
import io.leasehold.engine.Signal;
import org.jspecify.annotations.Nullable;

/**
 * State of one key that is held, awaited or closed. Guarded by its own monitor.
 */
final class Slot {

	/** First of those who hold the key, or held it, in the order of their grants. */
	private @Nullable Place first;

	/** In order of arrival; made by the first one that waits. */
	private Map<Owner, Waiter> queue = Map.of();

	/** Whether another slot is made for the key when that is wanted again. */
	boolean gone;

	/**
	 * The grant of a claim that holds the key, its lease extended if it was shorter.
	 */
	Attempt.@Nullable Granted renew(Claim claim, long leaseNanos, long now) {
		Place own = placeOf(claim.owner());
		if (own == null || !own.isHeld(now)) {
			return null;
		}
		own.extend(leaseNanos, now);
		return own.grant(now);
	}

	/** The access of those who hold the key, if it contradicts a claim. */
	@Nullable Access contradictionOf(Claim claim, long now) {
		for (Place place = this.first; place != null; place = place.next) {
			if (place.isHeld(now) && claim.access().contradicts(place.access())) {
				return place.access();
			}
		}
		return null;
	}

	/** Whether a claim may hold the key beside those who do. */
	boolean isFreeFor(Claim claim, long now) {
		int taken = forgetFree(now);
		return this.first == null || claim.access().joins(this.first.access(), taken);
	}

	/** Forget the places that are free again, and return how many are left. */
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

	/** Let a claim hold the key. */
	Attempt.Granted grant(Claim claim, long number, long now) {
		unqueue(claim.owner());
		Place place = new Place(claim, number, now);
		putAfter(last(), place);
		return place.grant(now);
	}

	private @Nullable Place last() {
		Place last = this.first;
		while (last != null && last.next != null) {
			last = last.next;
		}
		return last;
	}

	/** How long the claim has to wait if nothing is released. */
	Duration asksAgainIn(Claim claim, long now) {
		long wait = closedFor(now);
		Waiter waiter = this.queue.get(claim.owner());
		if (waiter != null) {
			waiter.asksAgainAt = now + wait;
		}
		return Duration.ofNanos(wait);
	}

	/** Whether a waiter would come late for the end of a present lease. */
	boolean isLate(Waiter waiter, long now) {
		return waiter.asksAgainAt - (now + closedFor(now)) > 0;
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

	/**
	 * Give a claim its listener, or none; return false if the claim does not wait, or has
	 * to ask again to know for how long.
	 */
	boolean listen(Claim claim, @Nullable Consumer<Signal> listener, long now) {
		Waiter waiter = this.queue.get(claim.owner());
		if (waiter == null) {
			return false;
		}
		waiter.listener = listener;
		return !isLate(waiter, now);
	}

	/** End a claim; return whether its owner held the key until now. */
	boolean release(Owner releasing, long now) {
		unqueue(releasing);
		Place own = placeOf(releasing);
		boolean held = own != null && own.isHeld(now);
		if (own != null) {
			own.free();
		}
		return held;
	}

	/** Let nobody own the key; min holds go on. */
	void free() {
		for (Place place = this.first; place != null; place = place.next) {
			place.free();
		}
	}

	/** Forget who holds the key, and who held it. */
	void lose() {
		this.first = null;
	}

	/** Who holds the key, in the order of their grants. */
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

	void unqueue(Owner leaving) {
		if (!this.queue.isEmpty()) {
			this.queue.remove(leaving);
		}
	}

	private @Nullable Place placeOf(Owner owner) {
		Place place = this.first;
		while (place != null && !place.isOwnedBy(owner)) {
			place = place.next;
		}
		return place;
	}

	/** A claim in the queue, and its ear once it has one. */
	static final class Waiter {

		final Claim claim;

		@Nullable Consumer<Signal> listener;

		long asksAgainAt;

		Waiter(Claim claim) {
			this.claim = claim;
		}

	}

}
