package io.leasehold.engine.jdbc;

import java.time.Duration;

/**
 * Purpose of a call, by which it gets its connection and its patience.
 */
enum CallKind {

	/** Acquisitions, and the calls of operators and upkeep. */
	ACQUIRE,

	/**
	 * Renewals. They wait for locked rows only briefly, since the locks of other rows
	 * wait for them.
	 */
	RENEW,

	/** Releases. */
	RELEASE,

	/**
	 * Releases of claims of which a request may still be under way. They are repeated,
	 * and wait only briefly, since other releases wait for them.
	 */
	CLOSE;

	/**
	 * Return how long a call may wait for a row that others have locked.
	 * @param callTimeout longest time for the call
	 */
	Duration lockTimeout(Duration callTimeout) {
		boolean brief = this == RENEW || this == CLOSE;
		return brief ? callTimeout.dividedBy(4) : Dialect.lockTimeout(callTimeout);
	}

}
