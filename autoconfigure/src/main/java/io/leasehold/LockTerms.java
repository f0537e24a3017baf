package io.leasehold;

import java.time.Duration;

/**
 * Terms of a lock that its store must know. Immutable.
 *
 * @param mode whether the lock is exclusive or shared
 * @param permits how many owners may hold the key at once, zero for a lock without
 * permits
 * @param lease how long the lock outlives a silent owner, and thus how fast others take
 * over after a crash
 * @param minHold minimum time for which the key stays locked, counted from the grant;
 * zero for none
 * @param lockDelay how long the key stays locked after the lease of an owner that
 * vanished without a release; zero for none
 */
public record LockTerms(LockMode mode, int permits, Duration lease, Duration minHold, Duration lockDelay) {

	/** Maximum lease. */
	public static final Duration MAX_LEASE = Duration.ofDays(365);

	/** Maximum number of permits. */
	public static final int MAX_PERMITS = 999_999_999;

	/**
	 * Create terms.
	 * @throws IllegalArgumentException naming the option, if one is out of range
	 */
	public LockTerms {
		check("lease", lease, Duration.ofMillis(1), MAX_LEASE);
		check("minHold", minHold, Duration.ZERO, MAX_LEASE);
		check("lockDelay", lockDelay, Duration.ZERO, MAX_LEASE);
		if (permits < 0 || permits > MAX_PERMITS) {
			throw new IllegalArgumentException(
					"permits must be between 0 and %s, but is %s".formatted(MAX_PERMITS, permits));
		}
		if (permits > 0 && mode == LockMode.SHARED) {
			throw new IllegalArgumentException("mode SHARED cannot be combined with %s permits".formatted(permits));
		}
	}

	/** Create terms of an exclusive lock without a lock delay. */
	public LockTerms(Duration lease, Duration minHold) {
		this(LockMode.EXCLUSIVE, 0, lease, minHold, Duration.ZERO);
	}

	/** Return these terms with other times. */
	public LockTerms with(Duration lease, Duration minHold) {
		return (lease.equals(this.lease) && minHold.equals(this.minHold)) ? this
				: new LockTerms(this.mode, this.permits, lease, minHold, this.lockDelay);
	}

	static void check(String option, Duration value, Duration least, Duration most) {
		if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
			throw new IllegalArgumentException(
					"%s must be between %s and %s, but is %s".formatted(option, least, most, value));
		}
	}

}
