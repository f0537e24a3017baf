package io.leasehold.engine.local;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Owner;
import io.leasehold.engine.Signal;
import org.jspecify.annotations.Nullable;

/**
 * State of one key that is held, awaited or closed. Guarded by the map that it is in:
 * only touched while its key is computed.
 */
final class Slot {

	/** In order of arrival; made by the first one that waits. */
	private Map<Owner, Waiter> queue = Map.of();

	private @Nullable Owner owner;

	private long number;

	private long until;

	private long since;

	private long closedUntil;

	Slot(long now) {
		this.closedUntil = now;
	}

	/** The grant of a claim that owns the key, its lease extended if it was shorter. */
	Attempt.@Nullable Granted renew(Claim claim, long leaseNanos, long now) {
		if (this.owner != claim.owner() || this.until - now <= 0) {
			return null;
		}
		this.until = Math.max(leaseNanos, this.until - now) + now;
		return grantOf(now);
	}

	boolean isFree(long now) {
		return (this.owner == null || this.until - now <= 0) && this.closedUntil - now <= 0;
	}

	boolean isUnused(long now) {
		return isFree(now) && this.queue.isEmpty();
	}

	/** Give the key to a claim. */
	Attempt.Granted grant(Claim claim, long number, long now) {
		unqueue(claim.owner());
		this.owner = claim.owner();
		this.number = number;
		this.since = now;
		this.until = now + claim.lease().toNanos();
		this.closedUntil = now + claim.minHold().toNanos();
		return grantOf(now);
	}

	/** Until when the claim has to wait if nothing is released. */
	long asksAgainAt(Claim claim, long now) {
		long when = now + closedFor(now);
		Waiter waiter = this.queue.get(claim.owner());
		if (waiter != null) {
			waiter.asksAgainAt = when;
		}
		return when;
	}

	/** Whether a waiter would come late for the end of the present lease. */
	boolean isLate(Waiter waiter, long now) {
		return waiter.asksAgainAt - (now + closedFor(now)) > 0;
	}

	private long closedFor(long now) {
		long lease = (this.owner != null) ? this.until - now : 0;
		return Math.max(1_000_000, Math.max(lease, this.closedUntil - now));
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
		boolean held = owner(now) == releasing;
		if (this.owner == releasing) {
			this.owner = null;
		}
		return held;
	}

	/** Let nobody own the key; a min hold goes on. */
	void free() {
		this.owner = null;
	}

	void lose(long now) {
		free();
		this.closedUntil = now;
	}

	@Nullable Owner owner(long now) {
		return (this.until - now > 0) ? this.owner : null;
	}

	long number() {
		return this.number;
	}

	long since() {
		return this.since;
	}

	long until() {
		return this.until;
	}

	private void unqueue(Owner leaving) {
		if (!this.queue.isEmpty()) {
			this.queue.remove(leaving);
		}
	}

	private Attempt.Granted grantOf(long now) {
		return new Attempt.Granted(this.number, MonotonicClock.validUntil(now, Duration.ofNanos(this.until - now)));
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
