package io.leasehold.engine;

import java.time.Duration;

/**
 * Fractions of a lease: when it is renewed, and how much of it is relied on. Values of
 * type {@code long} are nanoseconds.
 */
public final class RenewalRule {

	private static final long ROUNDING = Duration.ofMillis(2).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofSeconds(1).toNanos();

	private RenewalRule() {
	}

	/**
	 * Return the time between two renewals: a third of the lease, so that two renewals
	 * may fail before the lease ends.
	 * @param lease length of the lease
	 * @return the maximum age of a lease before its renewal
	 */
	public static long period(long lease) {
		return lease / 3;
	}

	/**
	 * Return the time between two renewals.
	 * @param lease length of the lease
	 * @return a third of the lease
	 */
	public static Duration period(Duration lease) {
		return lease.dividedBy(3);
	}

	/**
	 * Return the shortest lease that an engine can renew in time: two calls.
	 * @param callTimeout maximum duration of a call
	 * @return the minimum lease
	 */
	public static Duration minLease(Duration callTimeout) {
		return callTimeout.plus(callTimeout);
	}

	/**
	 * Return the timeout of a session in which grants are valid for a whole lease: four
	 * thirds of it, because the session is kept alive after a quarter of its timeout.
	 * @param lease length of the lease
	 * @return the session timeout
	 */
	public static Duration sessionTimeout(Duration lease) {
		return lease.multipliedBy(4).dividedBy(3);
	}

	/**
	 * Return the longest lease for which grants in a session are valid.
	 * @param sessionTimeout timeout of the session
	 * @return three quarters of it
	 */
	public static Duration longestLease(Duration sessionTimeout) {
		return sessionTimeout.multipliedBy(3).dividedBy(4);
	}

	/**
	 * Return the part of a lease that its owner does not rely on: one percent for clock
	 * drift, and two milliseconds for rounding.
	 * @param lease length of the lease
	 * @return the time before the end of the lease
	 */
	static long margin(long lease) {
		return lease / 100 + ROUNDING;
	}

	/**
	 * Return how long the next renewal may wait: until a period of the lease has passed,
	 * or of the time that the store granted if that is shorter. A longer grant does not
	 * delay it.
	 * @param lease length of the lease
	 * @param remaining rest of the grant
	 * @return the time from now on
	 */
	public static long untilDue(long lease, long remaining) {
		return period(Math.min(lease, remaining));
	}

	/**
	 * Return whether a grant is shorter than the lease by at least a period, so that it
	 * must be extended at once.
	 * @param lease length of the lease
	 * @param remaining rest of the grant
	 * @return whether the grant came with a short lease
	 */
	public static boolean isShort(long lease, long remaining) {
		return remaining <= lease - period(lease);
	}

	/**
	 * Return how much earlier than due a lease is renewed in a batch with others: a
	 * thirtieth of it.
	 * @param lease length of the lease, or its rest if that is shorter
	 * @return the time before the renewal is due
	 */
	public static long ahead(long lease) {
		return lease / 30;
	}

	/**
	 * Return the pause after a failed renewal: a tenth of the lease, at most a second.
	 * @param lease length of the lease
	 * @return the time until the next attempt
	 */
	public static long retryPause(long lease) {
		return Math.min(LONGEST_PAUSE, lease / 10);
	}

	/**
	 * Return whether a grant may be passed on to another holder: at least half of its
	 * lease is left, and the store has confirmed it within the last period.
	 * @param lease length of the next holder's lease
	 * @param remaining rest of the grant
	 * @param unconfirmed time since the last confirmed request was sent
	 * @return whether the grant is fresh enough
	 */
	public static boolean isFresh(long lease, long remaining, long unconfirmed) {
		return remaining >= lease / 2 && unconfirmed < period(lease);
	}

	/**
	 * Return the minimum extension for which a renewal is worth a request: twice the
	 * difference between a lease and its validity.
	 * @param lease length of the lease
	 * @return the minimum extension
	 * @see MonotonicClock#validUntil
	 */
	public static long leastGain(long lease) {
		return 2 * margin(lease);
	}

}
