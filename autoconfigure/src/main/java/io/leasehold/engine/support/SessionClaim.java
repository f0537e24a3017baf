package io.leasehold.engine.support;

import java.time.Duration;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * Claim in a store that knows only sessions, from its first request to its confirmed end.
 * The entry of the claim in the store is its <em>place</em>, such as a key in etcd or a
 * node in ZooKeeper. Its process ends its lease. Thread-safe; never blocks while it holds
 * its monitor.
 */
public abstract class SessionClaim {

	/**
	 * Maximum wait after which its place need not be written: operators see the time of
	 * the request, not of the grant.
	 */
	public static final Duration UNSHOWN_WAIT = Duration.ofSeconds(1);

	/** Pause before a removal that failed is repeated, such as a rejected one. */
	public static final Duration REMOVAL_PAUSE = Duration.ofSeconds(1);

	private final Claim claim;

	private AcquisitionOutcome.@Nullable Contradicted contradiction;

	private boolean granted;

	private boolean over;

	private boolean expired;

	/** When its place has to be removed, {@code null} before a grant or its end. */
	private @Nullable Long end;

	/** End of the lease, defined only if it was granted. */
	private long leaseEnd;

	private long validUntil;

	/**
	 * Create the state of a claim that was not requested yet.
	 * @param claim the claim
	 */
	protected SessionClaim(Claim claim) {
		this.claim = claim;
	}

	public final Claim claim() {
		return this.claim;
	}

	/**
	 * Extend the lease; never shorten it.
	 * @param sent when the request was sent, from which the lease counts
	 * @param lease length of the lease
	 * @return the end of its validity, or {@code null} if the claim has ended and its
	 * place is being removed
	 */
	public synchronized @Nullable Long grant(long sent, Duration lease) {
		if (this.over) {
			return null;
		}
		long newEnd = sent + lease.toNanos();
		long valid = MonotonicClock.validUntil(sent, lease);
		this.leaseEnd = (!this.granted || newEnd - this.leaseEnd > 0) ? newEnd : this.leaseEnd;
		this.validUntil = (!this.granted || valid - this.validUntil > 0) ? valid : this.validUntil;
		this.granted = true;
		this.end = this.leaseEnd + this.claim.lockDelay().toNanos();
		return this.validUntil;
	}

	/** Return whether a granted lease has ended; its place may stay for a lock delay. */
	public final synchronized boolean isLeaseOver(long now) {
		return this.granted && now - this.leaseEnd >= 0;
	}

	public final synchronized boolean isHeld() {
		return this.granted && !this.over;
	}

	public final synchronized boolean wasGranted() {
		return this.granted;
	}

	/** Return whether the claim has ended: its place is being removed. */
	public final synchronized boolean isOver() {
		return this.over;
	}

	/**
	 * Record why the claim ends. Its request may be repeated until its removal has a
	 * response.
	 * @param by the outcome of the request
	 */
	public final synchronized void contradict(AcquisitionOutcome.Contradicted by) {
		this.contradiction = by;
	}

	public final synchronized AcquisitionOutcome.@Nullable Contradicted contradiction() {
		return this.contradiction;
	}

	/**
	 * End the claim: its only further request is the removal of its place.
	 * @param now the present time
	 */
	public final synchronized void end(long now) {
		if (!this.over && !this.granted) {
			this.end = now + this.claim.lease().toNanos();
		}
		this.expired |= !this.over && isLeaseOver(now);
		this.over = true;
	}

	/**
	 * End the claim if the time of its place has ended. This is one atomic step, because
	 * a response for the claim may arrive concurrently.
	 * @param now the present time
	 * @return whether its place has to be removed now; again after each pause
	 */
	public final synchronized boolean expire(long now) {
		if (!isDue(now)) {
			return false;
		}
		end(now);
		this.end = now + REMOVAL_PAUSE.toNanos();
		return true;
	}

	/** Return whether the claim ended with its lease, not by a release. */
	public final synchronized boolean hasExpired() {
		return this.expired;
	}

	/** Return whether its place has to be removed now, after its lease and lock delay. */
	public final synchronized boolean isDue(long now) {
		return this.end != null && now - this.end >= 0;
	}

}
