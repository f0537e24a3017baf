package io.leasehold.service.gate;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.RenewalRule;
import org.jspecify.annotations.Nullable;

/**
 * A grant returned by the store, and the single source of truth for its validity. It is
 * passed from hold to hold. An ended grant never becomes valid again.
 */
public final class Grant {

	private static final long ENDED = Long.MIN_VALUE;

	private static final AtomicLongFieldUpdater<Grant> VALID_UNTIL = AtomicLongFieldUpdater.newUpdater(Grant.class,
			"validUntil");

	public final Claim claim;

	/** Grant number in the store. */
	public final long number;

	/** Clock reading when this process received the grant. */
	final long since;

	/** The claim, if a request for it was in flight when the grant arrived. */
	private final @Nullable StoreClaim requested;

	private volatile @Nullable Exception renewalFailure;

	private volatile boolean forced;

	/** Whether this grant with a short lease awaits the end of its first renewal. */
	volatile boolean firstRenewal;

	private volatile long validUntil;

	/**
	 * Clock reading before the last request for which the store returned this grant was
	 * sent.
	 */
	private volatile long confirmed;

	Grant(StoreClaim remote, AcquisitionOutcome.Granted response, long sent, long since) {
		this.claim = remote.claim();
		this.requested = remote.isRequested() ? remote : null;
		this.number = response.number();
		this.since = since;
		this.validUntil = response.validUntil();
		this.confirmed = sent;
	}

	/**
	 * Return whether an ended grant's claim may be released. Guarded by the gate's
	 * monitor.
	 * @param rest the delay of the release
	 * @return whether the delay begins now, and not with the response to the request in
	 * flight
	 */
	boolean mayRelease(Duration rest) {
		return this.requested == null || this.requested.mayRelease(rest);
	}

	/** Return whether the grant is valid, and end it if it has expired. */
	public boolean isValid(long now) {
		while (true) {
			long until = this.validUntil;
			if (until == ENDED) {
				return false;
			}
			if (until - now > 0) {
				return true;
			}
			VALID_UNTIL.compareAndSet(this, until, ENDED);
		}
	}

	/** Extend the validity unless the grant has ended. It is never shortened. */
	public boolean extend(long newUntil, long now) {
		while (true) {
			long until = this.validUntil;
			if (until == ENDED || until - now <= 0) {
				return false;
			}
			if (newUntil - until <= 0 || VALID_UNTIL.compareAndSet(this, until, newUntil)) {
				return true;
			}
		}
	}

	public long remaining(long now) {
		long until = this.validUntil;
		return (until != ENDED) ? Math.max(0, until - now) : 0;
	}

	/** Record that the store granted a renewal that was sent after the given reading. */
	public void confirm(long sent) {
		this.confirmed = sent;
		this.renewalFailure = null;
	}

	public void renewalFailed(Exception failure) {
		this.renewalFailure = failure;
	}

	/** Return the failure of the last renewal, or {@code null} if it succeeded. */
	public @Nullable Exception renewalFailure() {
		return this.renewalFailure;
	}

	public boolean awaitsFirstRenewal() {
		return this.firstRenewal;
	}

	/** End the first renewal, whatever its result, and return whether it was awaited. */
	public boolean endFirstRenewal() {
		boolean awaited = this.firstRenewal;
		this.firstRenewal = false;
		return awaited;
	}

	/** Record that an operator released the key by force. */
	public void releasedByForce() {
		this.forced = true;
	}

	public boolean isReleasedByForce() {
		return this.forced;
	}

	/**
	 * Return for how long the grant may stay without a hold, if it lingers and no renewal
	 * was sent: until half of its validity has passed. Not positive after that.
	 */
	public long mayLingerFor(long now) {
		long until = this.validUntil;
		return (until != ENDED) ? until - now - (until - this.confirmed) / 2 : 0;
	}

	/**
	 * Return whether the machine may have been suspended for the given time, without an
	 * effect on this clock. A quarter of the validity is left then.
	 */
	boolean toleratesSuspension(long time) {
		long until = this.validUntil;
		return until != ENDED && time <= (until - this.confirmed) / 4;
	}

	/**
	 * Return whether the grant may be passed on to a holder with the given lease.
	 * @param ownLease whether to measure it by its own lease if that is shorter, because
	 * its first renewal extends it for the holder at that time
	 */
	boolean isFreshFor(Duration lease, boolean ownLease, long now) {
		long remaining = remaining(now);
		long unconfirmed = now - this.confirmed;
		long measure = ownLease ? Math.min(lease.toNanos(), remaining + unconfirmed) : lease.toNanos();
		return RenewalRule.isFresh(measure, remaining, unconfirmed);
	}

	void end() {
		this.validUntil = ENDED;
	}

}
