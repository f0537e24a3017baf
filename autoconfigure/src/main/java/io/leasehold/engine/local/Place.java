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

	private final Claim claim;

	private final long number;

	private final long since;

	/** End of the lease. */
	private long until;

	private boolean free;

	/** The one that was granted after this one. */
	@Nullable Place next;

	Place(Claim claim, long number, long now) {
		this.claim = claim;
		this.number = number;
		this.since = now;
		this.until = now + claim.lease().toNanos();
	}

	Access access() {
		return this.claim.access();
	}

	/** Whether an owner has it whose lease goes on. */
	boolean isHeld(long now) {
		return !this.free && this.until - now > 0;
	}

	boolean isOwnedBy(Owner other) {
		return !this.free && this.claim.owner() == other;
	}

	/** How long it stays taken, if that is not past, and nobody releases it. */
	long takenFor(long now) {
		long minHold = this.since + this.claim.minHold().toNanos() - now;
		return this.free ? minHold : Math.max(minHold, this.until - now + this.claim.lockDelay().toNanos());
	}

	void extend(long leaseNanos, long now) {
		this.until = Math.max(leaseNanos, this.until - now) + now;
	}

	/** Let nobody own it; a min hold goes on. */
	void free() {
		this.free = true;
	}

	Attempt.Granted grant(long now) {
		return new Attempt.Granted(this.number, MonotonicClock.validUntil(now, Duration.ofNanos(this.until - now)));
	}

	/** Who holds it, or nothing if nobody does. */
	@Nullable Holder holder(long now) {
		return isHeld(now) ? Holder.of(this.claim.owner().token(), this.number,
				Instant.now().minusNanos(now - this.since), Duration.ofNanos(this.until - now)) : null;
	}

}
