package io.leasehold;

import java.time.Duration;

/**
 * Options for acquiring and holding a lock. Immutable; start from
 * {@link DistributedLocks#defaults()} and change what differs.
 *
 * @param name fixed name for metrics and messages, never built from a key
 * @param engine name of the engine, or empty for the configured default
 * @param terms terms that the store must know
 * @param waitTime maximum time to wait; zero means one attempt
 * @param maxHold maximum time to hold the lock, counted from the grant: then the lock is
 * lost, whatever the lease is; {@link #UNLIMITED} to renew while the lock is held
 * @param reentrant whether a caller that already runs under the key's lock re-enters it;
 * otherwise it waits like any other caller
 * @param linger how long this process may keep a lock after its release, for its next
 * caller; zero for a release at once
 */
public record LockOptions(String name, String engine, LockTerms terms, Duration waitTime, Duration maxHold,
		boolean reentrant, Duration linger) {

	/** Maximum of times: in practice no limit. */
	public static final Duration UNLIMITED = Duration.ofNanos(Long.MAX_VALUE);

	/**
	 * Create options.
	 * @throws IllegalArgumentException naming the option, if one is out of range
	 */
	public LockOptions {
		LockTerms.check("waitTime", waitTime, Duration.ZERO, UNLIMITED);
		LockTerms.check("maxHold", maxHold, Duration.ofMillis(1), UNLIMITED);
		LockTerms.check("linger", linger, Duration.ZERO, LockTerms.MAX_LEASE);
		if (terms.minHold().compareTo(maxHold) > 0) {
			throw new IllegalArgumentException(
					"minHold %s is longer than maxHold %s".formatted(terms.minHold(), maxHold));
		}
	}

	/** Create options of an exclusive, re-entrant lock without a lock delay. */
	public LockOptions(String name, String engine, Duration lease, Duration waitTime, Duration minHold,
			Duration maxHold) {
		this(name, engine, new LockTerms(lease, minHold), waitTime, maxHold, true, Duration.ZERO);
	}

	/** Return whether the lock is exclusive or shared. */
	public LockMode mode() {
		return this.terms.mode();
	}

	/** Return the number of permits, zero for a lock without permits. */
	public int permits() {
		return this.terms.permits();
	}

	/** Return how long the lock outlives a silent owner. */
	public Duration lease() {
		return this.terms.lease();
	}

	/** Return the minimum time for which the key stays locked. */
	public Duration minHold() {
		return this.terms.minHold();
	}

	/** Return how long the key stays locked after an owner vanished. */
	public Duration lockDelay() {
		return this.terms.lockDelay();
	}

	/** Return a builder that starts from these options. */
	public Builder toBuilder() {
		return new Builder(this);
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

		private Duration linger;

		private Builder(LockOptions options) {
			this.name = options.name;
			this.engine = options.engine;
			this.mode = options.mode();
			this.permits = options.permits();
			this.lease = options.lease();
			this.waitTime = options.waitTime;
			this.minHold = options.minHold();
			this.maxHold = options.maxHold;
			this.lockDelay = options.lockDelay();
			this.reentrant = options.reentrant;
			this.linger = options.linger;
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

		/** Set how long the process may keep the lock after its release. */
		public Builder linger(Duration linger) {
			this.linger = linger;
			return this;
		}

		/**
		 * Create the options.
		 * @throws IllegalArgumentException naming the option, if one is out of range
		 */
		public LockOptions build() {
			return new LockOptions(this.name, this.engine,
					new LockTerms(this.mode, this.permits, this.lease, this.minHold, this.lockDelay), this.waitTime,
					this.maxHold, this.reentrant, this.linger);
		}

	}

}
