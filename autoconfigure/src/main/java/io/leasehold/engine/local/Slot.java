package io.leasehold.engine.local;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

import io.leasehold.engine.Access;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Owner;
import io.leasehold.engine.Signal;
import org.jspecify.annotations.Nullable;

/**
 * State of one key that is held, awaited or closed. Guarded by the map that it is in:
 * only touched while its key is computed.
 */
final class Slot {

	/** In the order of the grants; all of them with the same access. */
	private final List<Place> places = new ArrayList<>(1);

	/** In order of arrival; made by the first one that waits. */
	private Map<Owner, Waiter> queue = Map.of();

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
		return this.places.stream()
			.filter((place) -> place.isHeld(now) && claim.access().contradicts(place.access()))
			.map(Place::access)
			.findFirst()
			.orElse(null);
	}

	/** Whether a claim may hold the key beside those who do. */
	boolean isFreeFor(Claim claim, long now) {
		this.places.removeIf((place) -> place.takenFor(now) <= 0);
		return this.places.isEmpty() || claim.access().joins(this.places.get(0).access(), this.places.size());
	}

	boolean isUnused(long now) {
		return this.queue.isEmpty() && this.places.stream().allMatch((place) -> place.takenFor(now) <= 0);
	}

	/** Let a claim hold the key. */
	Attempt.Granted grant(Claim claim, long number, long now) {
		unqueue(claim.owner());
		Place place = new Place(claim, number, now);
		this.places.add(place);
		return place.grant(now);
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
		return Math.max(1_000_000, this.places.stream().mapToLong((place) -> place.takenFor(now)).min().orElse(0));
	}

	void enqueue(Claim claim) {
		if (this.queue.isEmpty()) {
			this.queue = new LinkedHashMap<>();
		}
		this.queue.computeIfAbsent(claim.owner(), (owner) -> new Waiter(claim));
	}

	@Nullable Waiter head() {
		Iterator<Waiter> waiters = this.queue.values().iterator();
		return waiters.hasNext() ? waiters.next() : null;
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
		this.places.forEach(Place::free);
	}

	/** Forget who holds the key, and who held it. */
	void lose() {
		this.places.clear();
	}

	/** Who holds the key, in the order of their grants. */
	List<Holder> holders(long now) {
		return this.places.stream().map((place) -> place.holder(now)).filter(Objects::nonNull).toList();
	}

	void unqueue(Owner leaving) {
		if (!this.queue.isEmpty()) {
			this.queue.remove(leaving);
		}
	}

	private @Nullable Place placeOf(Owner owner) {
		for (Place place : this.places) {
			if (place.isOwnedBy(owner)) {
				return place;
			}
		}
		return null;
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
