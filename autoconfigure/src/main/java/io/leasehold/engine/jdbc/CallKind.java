package io.leasehold.engine.jdbc;

import java.time.Duration;

/**
 * Purpose of a call, which determines its connection and its lock timeout.
 */
enum CallKind {

	/** Acquisitions, calls of operators, and upkeep. */
	ACQUIRE,

	/**
	 * Renewals. They wait for locked rows only briefly, because the renewals of other
	 * rows wait for them.
	 */
	RENEW,

	/** Releases. */
	RELEASE,

	/**
	 * Releases of claims with a request that may still be in flight. They are repeated,
	 * and wait only briefly, because other releases wait for them.
	 */
	CLOSE;

	/**
	 * Return the maximum wait for a row that another session has locked.
	 * @param callTimeout maximum duration of the call
	 */
	Duration lockTimeout(Duration callTimeout) {
		boolean brief = this == RENEW || this == CLOSE;
		return brief ? Duration.ofNanos(callTimeout.toNanos() / 4) : Dialect.lockTimeout(callTimeout);
	}

}
