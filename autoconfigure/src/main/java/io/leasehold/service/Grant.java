package io.leasehold.service;

import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * The store's yes, as long as this process may believe in it. Passed from hold to hold.
 * Once it has ended it never comes back, whatever an answer says that arrives later.
 */
final class Grant {

	private static final long ENDED = Long.MIN_VALUE;

	final RemoteClaim remote;

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

	private final AtomicLong validUntil;

	Grant(RemoteClaim remote, long number, long since, long validUntil, boolean pushed) {
		this.remote = remote;
		this.number = number;
		this.since = since;
		this.pushed = pushed;
		this.validUntil = new AtomicLong(validUntil);
	}

	/** Look at the clock; who finds the grant over ends it. */
	boolean isValid(long now) {
		while (true) {
			long until = this.validUntil.get();
			if (until == ENDED) {
				return false;
			}
			if (until - now > 0) {
				return true;
			}
			this.validUntil.compareAndSet(until, ENDED);
		}
	}

	/** Move the end of validity, never back, and only if it is still to come. */
	boolean extend(long newUntil, long now) {
		while (true) {
			long until = this.validUntil.get();
			if (until == ENDED || until - now <= 0) {
				return false;
			}
			if (newUntil - until <= 0 || this.validUntil.compareAndSet(until, newUntil)) {
				return true;
			}
		}
	}

	long remaining(long now) {
		long until = this.validUntil.get();
		return (until != ENDED) ? Math.max(0, until - now) : 0;
	}

	void end() {
		this.validUntil.set(ENDED);
	}

}
