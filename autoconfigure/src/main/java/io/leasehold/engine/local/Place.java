package io.leasehold.engine.local;

import java.time.Duration;
import java.time.Instant;

import io.leasehold.engine.Access;
import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * A grant, and what stays closed of its key when the owner is gone. Guarded like the
 * {@link Slot} that it is in.
 */
final class Place {

	private final Access access;

	private final long number;

	private final long since;

	private final long minHoldUntil;

	private final long lockDelay;

	private @Nullable Owner owner;

	/** End of the lease. */
	private long until;

	Place(Claim claim, long number, long now) {
		this.access = claim.access();
		this.number = number;
		this.since = now;
		this.minHoldUntil = now + claim.minHold().toNanos();
		this.lockDelay = claim.lockDelay().toNanos();
		this.owner = claim.owner();
		this.until = now + claim.lease().toNanos();
	}

	Access access() {
		return this.access;
	}

	/** Whether an owner has it whose lease goes on. */
	boolean isHeld(long now) {
		return this.owner != null && this.until - now > 0;
	}

	boolean isOwnedBy(Owner other) {
		return this.owner == other;
	}

	/** How long it stays taken, if that is not past, and nobody releases it. */
	long takenFor(long now) {
		long minHold = this.minHoldUntil - now;
		return (this.owner != null) ? Math.max(minHold, this.until - now + this.lockDelay) : minHold;
	}

	void extend(long leaseNanos, long now) {
		this.until = Math.max(leaseNanos, this.until - now) + now;
	}

	/** Let nobody own it; a min hold goes on. */
	void free() {
		this.owner = null;
	}

	Attempt.Granted grant(long now) {
		return new Attempt.Granted(this.number, MonotonicClock.validUntil(now, Duration.ofNanos(this.until - now)));
	}

	/** Who holds it, or nothing if nobody does. */
	@Nullable Holder holder(long now) {
		Owner holding = this.owner;
		return (holding != null && isHeld(now)) ? Holder.of(holding.token(), this.number,
				Instant.now().minusNanos(now - this.since), Duration.ofNanos(this.until - now)) : null;
	}

}
