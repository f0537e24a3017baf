package io.leasehold.engine.zookeeper;

import java.time.Duration;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RenewalRule;

/**
 * Connection within a session.
 *
 * @param session id of the session, never reused
 * @param timeout how long the session outlives a silent client, as negotiated
 */
record Connection(int number, long session, Duration timeout) {

	/**
	 * Return the earlier of a moment and the last moment at which the session is
	 * certainly alive after a request, given when that was sent.
	 */
	long earlier(long moment, long sent) {
		long end = MonotonicClock.validUntil(sent, RenewalRule.longestLease(this.timeout));
		return (end - moment < 0) ? end : moment;
	}

}
