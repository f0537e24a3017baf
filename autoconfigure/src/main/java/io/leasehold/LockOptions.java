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
 * @param endless whether the lock is awaited and held without an end, such as that of a
 * leader: waits and holds are not measured, and none is slow
 */
public record LockOptions(String name, String engine, LockTerms terms, Duration waitTime, Duration maxHold,
		boolean reentrant, Duration linger, boolean endless) {

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
		this(name, engine, new LockTerms(lease, minHold), waitTime, maxHold, true, Duration.ZERO, false);
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

		private boolean endless;

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
			this.endless = options.endless;
		}

		/**
		 * Set the name of the lock in metrics and messages. It is the same for all keys,
		 * so do not derive it from a key.
		 */
		public Builder name(String name) {
			this.name = name;
			return this;
		}

		/** Set the name of the engine. An empty name is the configured default. */
		public Builder engine(String engine) {
			this.engine = engine;
			return this;
		}

		/**
		 * Set whether the lock is exclusive, or shared by all callers in this mode.
		 */
		public Builder mode(LockMode mode) {
			this.mode = mode;
			return this;
		}

		/**
		 * Set the number of permits: how many owners in all processes may hold the key at
		 * once. All users of the key must set the same number. Zero means a lock without
		 * permits. Cannot be combined with {@link LockMode#SHARED}.
		 */
		public Builder permits(int permits) {
			this.permits = permits;
			return this;
		}

		/**
		 * Set the length of the lease, from one millisecond to
		 * {@link LockTerms#MAX_LEASE}. The lease is renewed while the lock is held. If
		 * its process dies, the key becomes available when the lease ends.
		 */
		public Builder lease(Duration lease) {
			this.lease = lease;
			return this;
		}

		/**
		 * Set the maximum time to wait for the lock. Zero means one attempt;
		 * {@link #UNLIMITED} waits until the lock is granted.
		 */
		public Builder waitTime(Duration waitTime) {
			this.waitTime = waitTime;
			return this;
		}

		/**
		 * Set the minimum time for which the key stays locked, counted from the grant,
		 * even if the lock is released earlier. It may not exceed
		 * {@link #maxHold(Duration)}. Zero means no minimum.
		 */
		public Builder minHold(Duration minHold) {
			this.minHold = minHold;
			return this;
		}

		/**
		 * Set the maximum time to hold the lock, counted from the grant. After it, the
		 * lock is lost and the key becomes available, while the code of the holder may
		 * still be running. {@link #UNLIMITED} renews the lock while it is held.
		 */
		public Builder maxHold(Duration maxHold) {
			this.maxHold = maxHold;
			return this;
		}

		/**
		 * Set how long the key stays locked after the lease of an owner that vanished
		 * without a release, so that its in-flight requests fail before the next owner
		 * begins. Zero means no delay.
		 */
		public Builder lockDelay(Duration lockDelay) {
			this.lockDelay = lockDelay;
			return this;
		}

		/**
		 * Set whether a caller that already runs under the lock of the key re-enters it.
		 * Otherwise it waits like any other caller.
		 */
		public Builder reentrant(boolean reentrant) {
			this.reentrant = reentrant;
			return this;
		}

		/**
		 * Set how long this process may keep the lock after its release, so that its next
		 * caller needs no request to the store. The lock is released earlier if another
		 * process wants it. Requires an engine that can notify this process. Has no
		 * effect on shared locks and permits, or together with a minimum hold or a lock
		 * delay. Zero means a release at once.
		 */
		public Builder linger(Duration linger) {
			this.linger = linger;
			return this;
		}

		/**
		 * Set whether the lock is awaited and held without an end, such as that of a
		 * leader. No events, meters and observations are created for its waits and holds,
		 * and no hold is slow. A loss is reported as for other locks.
		 */
		public Builder endless(boolean endless) {
			this.endless = endless;
			return this;
		}

		/**
		 * Create the options.
		 * @throws IllegalArgumentException naming the option, if one is out of range
		 */
		public LockOptions build() {
			return new LockOptions(this.name, this.engine,
					new LockTerms(this.mode, this.permits, this.lease, this.minHold, this.lockDelay), this.waitTime,
					this.maxHold, this.reentrant, this.linger, this.endless);
		}

	}

}
