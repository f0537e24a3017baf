package io.leasehold.service.gate;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import io.leasehold.engine.RenewalRule;
import org.jspecify.annotations.Nullable;

/**
 * A grant returned by the store, and the single source of truth for its validity. Passed
 * from hold to hold. Once it has ended it never becomes valid again, whatever arrives
 * later.
 */
public final class Grant {

	private static final long ENDED = Long.MIN_VALUE;

	private static final AtomicLongFieldUpdater<Grant> VALID_UNTIL = AtomicLongFieldUpdater.newUpdater(Grant.class,
			"validUntil");

	public final Claim claim;

	/** The store's number of this grant. */
	public final long number;

	/** When this process learned of the grant. */
	final long since;

	/** The claim, if a request for it was under way when the grant arrived. */
	private final @Nullable StoreClaim requested;

	private volatile @Nullable Exception renewalFailure;

	private volatile long validUntil;

	/** Until when the grant would be valid, had it not been given up before. */
	private volatile long givenUpUntil = ENDED;

	/**
	 * Reading before the last request was sent that the store answered with this grant;
	 * written by the watchdog after that.
	 */
	private volatile long confirmed;

	Grant(StoreClaim remote, Attempt.Granted answer, long sent, long since) {
		this.claim = remote.claim();
		this.requested = remote.isRequested() ? remote : null;
		this.number = answer.number();
		this.since = since;
		this.validUntil = answer.validUntil();
		this.confirmed = sent;
	}

	/**
	 * Give the grant up. Guarded by the gate's monitor.
	 * @param rest for how long the claim is left alone
	 * @return whether that time begins now; otherwise it begins when the request has been
	 * answered that is still under way
	 */
	boolean mayRelease(Duration rest) {
		return this.requested == null || this.requested.mayRelease(rest);
	}

	/** Check the clock, and end a grant whose time is over. */
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

	/** Move the end of validity, never back, and only if it is still to come. */
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

	/** Note that the store granted a renewal that was sent after the given reading. */
	public void confirm(long sent) {
		this.confirmed = sent;
		this.renewalFailure = null;
	}

	public void renewalFailed(Exception failure) {
		this.renewalFailure = failure;
	}

	/** Why the last renewal failed, if it did. */
	public @Nullable Exception renewalFailure() {
		return this.renewalFailure;
	}

	/** Return whether the grant may be passed on to a holder with the given lease. */
	boolean isFreshFor(Duration lease, long now) {
		return RenewalRule.isFresh(lease.toNanos(), remaining(now), now - this.confirmed);
	}

	void end() {
		this.givenUpUntil = this.validUntil;
		this.validUntil = ENDED;
	}

	/** Return whether a grant that was given up would still be valid. */
	public boolean wouldBeValid(long now) {
		long until = this.givenUpUntil;
		return until != ENDED && until - now > 0;
	}

}
