package io.leasehold;

import java.time.Duration;

/**
 * How a lock is taken and held. Immutable; start from {@link DistributedLocks#defaults()}
 * and change what differs.
 *
 * @param name fixed name for metrics and messages, never built from a key
 * @param engine name of the engine, or empty for the configured default
 * @param lease how long the lock outlives a silent owner, which is how fast others take
 * over after a crash; renewed while the lock is held
 * @param waitTime longest time to wait; zero means one attempt
 * @param minHold how long the key stays closed at least, counted from the grant; zero for
 * none
 * @param maxHold after this time the lease is no longer renewed; {@link #UNLIMITED} to
 * renew as long as the lock is held
 */
public record LockOptions(String name, String engine, Duration lease, Duration waitTime, Duration minHold,
		Duration maxHold) {

	/** Longest time that can be asked for: no limit in practice. */
	public static final Duration UNLIMITED = Duration.ofNanos(Long.MAX_VALUE);

	/** Longest lease. */
	public static final Duration MAX_LEASE = Duration.ofDays(365);

	/**
	 * Create options.
	 * @throws IllegalArgumentException naming the option, if one is out of range
	 */
	public LockOptions {
		check("lease", lease, Duration.ofMillis(1), MAX_LEASE);
		check("waitTime", waitTime, Duration.ZERO, UNLIMITED);
		check("minHold", minHold, Duration.ZERO, MAX_LEASE);
		check("maxHold", maxHold, Duration.ofMillis(1), UNLIMITED);
		if (minHold.compareTo(maxHold) > 0) {
			throw new IllegalArgumentException("minHold %s is longer than maxHold %s".formatted(minHold, maxHold));
		}
	}

	/**
	 * Return a copy with another name.
	 * @param name fixed name for metrics and messages
	 * @return the changed options
	 */
	public LockOptions withName(String name) {
		return new LockOptions(name, this.engine, this.lease, this.waitTime, this.minHold, this.maxHold);
	}

	/**
	 * Return a copy for another engine.
	 * @param engine name of the engine, or empty for the default
	 * @return the changed options
	 */
	public LockOptions withEngine(String engine) {
		return new LockOptions(this.name, engine, this.lease, this.waitTime, this.minHold, this.maxHold);
	}

	/**
	 * Return a copy with another lease.
	 * @param lease how long the lock outlives a silent owner
	 * @return the changed options
	 */
	public LockOptions withLease(Duration lease) {
		return new LockOptions(this.name, this.engine, lease, this.waitTime, this.minHold, this.maxHold);
	}

	/**
	 * Return a copy with another wait time.
	 * @param waitTime longest time to wait, zero for one attempt
	 * @return the changed options
	 */
	public LockOptions withWaitTime(Duration waitTime) {
		return new LockOptions(this.name, this.engine, this.lease, waitTime, this.minHold, this.maxHold);
	}

	/**
	 * Return a copy with another min hold.
	 * @param minHold how long the key stays closed at least
	 * @return the changed options
	 */
	public LockOptions withMinHold(Duration minHold) {
		return new LockOptions(this.name, this.engine, this.lease, this.waitTime, minHold, this.maxHold);
	}

	/**
	 * Return a copy with another max hold.
	 * @param maxHold time after which the lease is no longer renewed
	 * @return the changed options
	 */
	public LockOptions withMaxHold(Duration maxHold) {
		return new LockOptions(this.name, this.engine, this.lease, this.waitTime, this.minHold, maxHold);
	}

	private static void check(String option, Duration value, Duration least, Duration most) {
		if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
			throw new IllegalArgumentException(
					"%s must be between %s and %s, but is %s".formatted(option, least, most, value));
		}
	}

}
