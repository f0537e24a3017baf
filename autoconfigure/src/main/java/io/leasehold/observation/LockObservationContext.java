package io.leasehold.observation;

import io.leasehold.LockKey;
import io.micrometer.observation.Observation;

/**
 * Context of the observation of a lock.
 */
public abstract class LockObservationContext extends Observation.Context {

	private final String engine;

	private final String lockName;

	private final LockKey key;

	LockObservationContext(String engine, String lockName, LockKey key) {
		this.engine = engine;
		this.lockName = lockName;
		this.key = key;
	}

	/** Return the engine's name, such as {@code redis}. */
	public String getEngine() {
		return this.engine;
	}

	/** Return the fixed name of the lock, such as {@code OrderService.pay}. */
	public String getLockName() {
		return this.lockName;
	}

	public LockKey getKey() {
		return this.key;
	}

}
