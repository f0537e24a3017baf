package io.leasehold.engine.local;

import java.time.Duration;
import java.time.Instant;

import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.KeptKeys;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Owner;
import org.jspecify.annotations.Nullable;

/**
 * Grant of a key, and the time for which the key stays locked after its end. Guarded by
 * the monitor of its {@link Slot}.
 */
final class Place {

	private final Claim claim;

	private final long number;

	private final long since;

	/** End of the lease, or time of the release. */
	private long until;

	/** Whether further numbers belong to the grant, because it lingered at first. */
	private final boolean reserves;

	private boolean lingers;

	private boolean free;

	/** Whether the owner was removed before its lease ended. */
	private boolean released;

	/** The next grant, in the order of grants. */
	@Nullable Place next;

	Place(Claim claim, long number, boolean lingers, long now) {
		this.claim = claim;
		this.number = number;
		this.since = now;
		this.reserves = lingers;
		this.lingers = lingers;
		this.until = now + claim.lease().toNanos();
	}

	Claim claim() {
		return this.claim;
	}

	/** Whether the owner may keep the key unused. */
	boolean lingers(long now) {
		return this.lingers && isHeld(now);
	}

	Access access() {
		return this.claim.access();
	}

	/** Whether its owner's lease is still in force. */
	boolean isHeld(long now) {
		return !this.free && this.until - now > 0;
	}

	boolean isOwnedBy(Owner other) {
		return !this.free && this.claim.owner() == other;
	}

	/** Return how long the key stays locked without a release; negative if it is free. */
	long takenFor(long now) {
		return this.free ? minHoldRest(now) : Math.max(minHoldRest(now), leaseAndDelayRest(now));
	}

	private long minHoldRest(long now) {
		return this.since + this.claim.minHold().toNanos() - now;
	}

	private long leaseAndDelayRest(long now) {
		return this.until - now + this.claim.lockDelay().toNanos();
	}

	void extend(long leaseNanos, long now) {
		this.lingers = false;
		this.until = Math.max(leaseNanos, this.until - now) + now;
	}

	/** Remove the owner; a minimum hold continues. */
	void free(long now) {
		if (isHeld(now)) {
			this.released = true;
			this.until = now;
		}
		this.free = true;
	}

	AcquisitionOutcome.Granted grant(long now) {
		return new AcquisitionOutcome.Granted(this.number,
				MonotonicClock.validUntil(now, Duration.ofNanos(this.until - now)),
				this.lingers ? AcquisitionOutcome.Granted.RESERVED : 0);
	}

	/** Return the holder, or null if there is none. */
	@Nullable Holder holder(long now) {
		return isHeld(now) ? holder(now, Duration.ofNanos(this.until - now))
			.withReserved(this.reserves ? AcquisitionOutcome.Granted.RESERVED : 0, this.lingers) : null;
	}

	/** Return the last holder if only a minimum hold keeps the key, or else null. */
	KeptKeys.@Nullable Kept kept(long now) {
		long rest = minHoldRest(now);
		if (!access().equals(Access.EXCLUSIVE) || rest <= 0 || !this.free && leaseAndDelayRest(now) > 0) {
			return null;
		}
		return new KeptKeys.Kept(holder(now, null), this.released ? time(this.until, now) : null,
				Duration.ofNanos(rest));
	}

	private Holder holder(long now, @Nullable Duration remaining) {
		return Holder.of(this.claim.owner().token(), this.number, time(this.since, now), remaining);
	}

	static Instant time(long nanos, long now) {
		return Instant.now().minusNanos(now - nanos);
	}

}
