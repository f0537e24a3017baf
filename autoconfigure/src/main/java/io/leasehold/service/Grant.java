package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

import io.leasehold.engine.Attempt;
import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * The store's yes, as long as this process may believe in it. Passed from hold to hold.
 * Once it has ended it never comes back, whatever an answer says that arrives later.
 */
final class Grant {

	private static final long ENDED = Long.MIN_VALUE;

	private static final AtomicLongFieldUpdater<Grant> VALID_UNTIL = AtomicLongFieldUpdater.newUpdater(Grant.class,
			"validUntil");

	final Claim claim;

	/** The request that was under way when the grant was heard of, if there was one. */
	private final @Nullable RemoteClaim asking;

	/** The store's number of this grant. */
	final long number;

	/** When this process learned of the grant. */
	final long since;

	/** Whether the store handed the key on from another process. */
	final boolean pushed;

	/** Whose it is at present; guarded by the gate's monitor. */
	@Nullable Hold hold;

	/** Why the last renewal failed, if it did. */
	volatile @Nullable Exception renewalFailure;

	private volatile long validUntil;

	/**
	 * Reading before the last request was sent that the store answered with this grant;
	 * written by the watchdog after that.
	 */
	private volatile long confirmed;

	Grant(RemoteClaim remote, Attempt.Granted answer, long sent, long since, boolean pushed) {
		this.claim = remote.claim();
		this.asking = remote.isAsking() ? remote : null;
		this.number = answer.number();
		this.since = since;
		this.pushed = pushed;
		this.validUntil = answer.validUntil();
		this.confirmed = sent;
	}

	/**
	 * The grant is given up. Return whether its claim may be released after the given
	 * time; otherwise that time begins when the request has been answered that is still
	 * under way. Guarded by the gate's monitor.
	 */
	boolean mayRelease(Duration rest) {
		return this.asking == null || this.asking.mayRelease(rest);
	}

	/** Look at the clock; who finds the grant over ends it. */
	boolean isValid(long now) {
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
	boolean extend(long newUntil, long now) {
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

	long remaining(long now) {
		long until = this.validUntil;
		return (until != ENDED) ? Math.max(0, until - now) : 0;
	}

	/** A renewal was granted that was requested after the given reading. */
	void confirm(long sent) {
		this.confirmed = sent;
	}

	/**
	 * Return whether the grant may serve another caller: at least half of its lease is
	 * left, and the store has confirmed the grant within the last renewal period.
	 */
	boolean isFreshFor(Duration lease, long now) {
		long nanos = lease.toNanos();
		return remaining(now) >= nanos / 2 && now - this.confirmed < nanos / 3;
	}

	void end() {
		this.validUntil = ENDED;
	}

}
