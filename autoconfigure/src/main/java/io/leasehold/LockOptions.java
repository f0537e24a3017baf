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

	/** Return a builder that starts from these options. */
	public Builder toBuilder() {
		return new Builder(this);
	}

	private static void check(String option, Duration value, Duration least, Duration most) {
		if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
			throw new IllegalArgumentException(
					"%s must be between %s and %s, but is %s".formatted(option, least, most, value));
		}
	}

	/**
	 * Builder of options. Not thread-safe.
	 */
	public static final class Builder {

		private String name;

		private String engine;

		private LockMode mode;

		private int permits;

		private Duration lease;

		private Duration waitTime;

		private Duration minHold;

		private Duration maxHold;

		private Duration lockDelay;

		private boolean reentrant;

		private Builder(LockOptions options) {
			this.name = options.name;
			this.engine = options.engine;
			this.mode = options.mode;
			this.permits = options.permits;
			this.lease = options.lease;
			this.waitTime = options.waitTime;
			this.minHold = options.minHold;
			this.maxHold = options.maxHold;
			this.lockDelay = options.lockDelay;
			this.reentrant = options.reentrant;
		}

		/** Set fixed name for metrics and messages. */
		public Builder name(String name) {
			this.name = name;
			return this;
		}

		/** Set name of the engine, or empty for the default. */
		public Builder engine(String engine) {
			this.engine = engine;
			return this;
		}

		/** Set whether the lock is exclusive or shared. */
		public Builder mode(LockMode mode) {
			this.mode = mode;
			return this;
		}

		/** Set how many owners at once, zero for a lock without permits. */
		public Builder permits(int permits) {
			this.permits = permits;
			return this;
		}

		/** Set how long the lock outlives a silent owner. */
		public Builder lease(Duration lease) {
			this.lease = lease;
			return this;
		}

		/** Set maximum time to wait, zero for one attempt. */
		public Builder waitTime(Duration waitTime) {
			this.waitTime = waitTime;
			return this;
		}

		/** Set minimum time for which the key stays locked. */
		public Builder minHold(Duration minHold) {
			this.minHold = minHold;
			return this;
		}

		/** Set maximum time to hold the lock. */
		public Builder maxHold(Duration maxHold) {
			this.maxHold = maxHold;
			return this;
		}

		/** Set how long the key stays locked after an owner vanished. */
		public Builder lockDelay(Duration lockDelay) {
			this.lockDelay = lockDelay;
			return this;
		}

		/** Set whether a caller re-enters a lock under which it runs. */
		public Builder reentrant(boolean reentrant) {
			this.reentrant = reentrant;
			return this;
		}

		/**
		 * Create the options.
		 * @throws IllegalArgumentException naming the option, if one is out of range
		 */
		public LockOptions build() {
			return new LockOptions(this.name, this.engine, this.mode, this.permits, this.lease, this.waitTime,
					this.minHold, this.maxHold, this.lockDelay, this.reentrant);
		}

	}

}
