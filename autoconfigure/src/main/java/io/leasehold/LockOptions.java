package io.leasehold;

import java.time.Duration;

/**
 * Options for acquiring and holding a lock. Immutable; start from
 * {@link DistributedLocks#defaults()} and change what differs.
 *
 * @param name fixed name for metrics and messages, never built from a key
 * @param engine name of the engine, or empty for the configured default
 * @param mode whether the lock is exclusive or shared
 * @param permits how many owners may hold the key at once, zero for a lock without
 * permits
 * @param lease how long the lock outlives a silent owner, and thus how fast others take
 * over after a crash; renewed while the lock is held
 * @param waitTime maximum time to wait; zero means one attempt
 * @param minHold minimum time for which the key stays locked, counted from the grant;
 * zero for none
 * @param maxHold maximum time to hold the lock, counted from the grant: then the lock is
 * lost, whatever the lease is; {@link #UNLIMITED} to renew while the lock is held
 * @param lockDelay how long the key stays locked after the lease of an owner that
 * vanished without a release; zero for none
 * @param reentrant whether a caller that already runs under the key's lock re-enters it;
 * otherwise it waits like any other caller
 */
public record LockOptions(String name, String engine, LockMode mode, int permits, Duration lease, Duration waitTime,
		Duration minHold, Duration maxHold, Duration lockDelay, boolean reentrant) {

	/** Maximum of times: in practice no limit. */
	public static final Duration UNLIMITED = Duration.ofNanos(Long.MAX_VALUE);

	/** Maximum lease. */
	public static final Duration MAX_LEASE = Duration.ofDays(365);

	/** Maximum number of permits. */
	public static final int MAX_PERMITS = 999_999_999;

	/**
	 * Create options.
	 * @throws IllegalArgumentException naming the option, if one is out of range
	 */
	public LockOptions {
		check("lease", lease, Duration.ofMillis(1), MAX_LEASE);
		check("waitTime", waitTime, Duration.ZERO, UNLIMITED);
		check("minHold", minHold, Duration.ZERO, MAX_LEASE);
		check("maxHold", maxHold, Duration.ofMillis(1), UNLIMITED);
		check("lockDelay", lockDelay, Duration.ZERO, MAX_LEASE);
		if (minHold.compareTo(maxHold) > 0) {
			throw new IllegalArgumentException("minHold %s is longer than maxHold %s".formatted(minHold, maxHold));
		}
		if (permits < 0 || permits > MAX_PERMITS) {
			throw new IllegalArgumentException(
					"permits must be between 0 and %d, but is %d".formatted(MAX_PERMITS, permits));
		}
		if (permits > 0 && mode == LockMode.SHARED) {
			throw new IllegalArgumentException("mode SHARED cannot be combined with %d permits".formatted(permits));
		}
	}

	/** Create options of an exclusive, re-entrant lock without a lock delay. */
	public LockOptions(String name, String engine, Duration lease, Duration waitTime, Duration minHold,
			Duration maxHold) {
		this(name, engine, LockMode.EXCLUSIVE, 0, lease, waitTime, minHold, maxHold, Duration.ZERO, true);
	}

	/** Return a copy with another name. */
	public LockOptions withName(String name) {
		return new LockOptions(name, this.engine, this.mode, this.permits, this.lease, this.waitTime, this.minHold,
				this.maxHold, this.lockDelay, this.reentrant);
	}

	/** Return a copy for another engine. */
	public LockOptions withEngine(String engine) {
		return new LockOptions(this.name, engine, this.mode, this.permits, this.lease, this.waitTime, this.minHold,
				this.maxHold, this.lockDelay, this.reentrant);
	}

	/** Return a copy with another mode. */
	public LockOptions withMode(LockMode mode) {
		return new LockOptions(this.name, this.engine, mode, this.permits, this.lease, this.waitTime, this.minHold,
				this.maxHold, this.lockDelay, this.reentrant);
	}

	/** Return a copy with another number of permits. */
	public LockOptions withPermits(int permits) {
		return new LockOptions(this.name, this.engine, this.mode, permits, this.lease, this.waitTime, this.minHold,
				this.maxHold, this.lockDelay, this.reentrant);
	}

	/** Return a copy with another lease. */
	public LockOptions withLease(Duration lease) {
		return new LockOptions(this.name, this.engine, this.mode, this.permits, lease, this.waitTime, this.minHold,
				this.maxHold, this.lockDelay, this.reentrant);
	}

	/** Return a copy with another wait time. */
	public LockOptions withWaitTime(Duration waitTime) {
		return new LockOptions(this.name, this.engine, this.mode, this.permits, this.lease, waitTime, this.minHold,
				this.maxHold, this.lockDelay, this.reentrant);
	}

	/** Return a copy with another minimum hold. */
	public LockOptions withMinHold(Duration minHold) {
		return new LockOptions(this.name, this.engine, this.mode, this.permits, this.lease, this.waitTime, minHold,
				this.maxHold, this.lockDelay, this.reentrant);
	}

	/** Return a copy with another maximum hold. */
	public LockOptions withMaxHold(Duration maxHold) {
		return new LockOptions(this.name, this.engine, this.mode, this.permits, this.lease, this.waitTime, this.minHold,
				maxHold, this.lockDelay, this.reentrant);
	}

	/** Return a copy with another lock delay. */
	public LockOptions withLockDelay(Duration lockDelay) {
		return new LockOptions(this.name, this.engine, this.mode, this.permits, this.lease, this.waitTime, this.minHold,
				this.maxHold, lockDelay, this.reentrant);
	}

	/** Return a copy that re-enters a lock or not. Permits are never re-entered. */
	public LockOptions withReentrant(boolean reentrant) {
		return new LockOptions(this.name, this.engine, this.mode, this.permits, this.lease, this.waitTime, this.minHold,
				this.maxHold, this.lockDelay, reentrant);
	}

	private static void check(String option, Duration value, Duration least, Duration most) {
		if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
			throw new IllegalArgumentException(
					"%s must be between %s and %s, but is %s".formatted(option, least, most, value));
		}
	}

}
