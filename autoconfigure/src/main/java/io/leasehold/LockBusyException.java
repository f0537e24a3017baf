package io.leasehold;

import java.time.Duration;

/**
 * Thrown when a lock still had another owner at the end of the wait time. The store
 * answered: a store that cannot be reached is a {@link LockEngineException}.
 */
public class LockBusyException extends LockException {

	private static final long serialVersionUID = 1L;

	private final Duration waited;

	public LockBusyException(LockKey key, String engine, Duration waited) {
		super(key.value(),
				"Lock '%s' still had another owner after %d ms (engine: %s)".formatted(key, waited.toMillis(), engine),
				null);
		this.waited = waited;
	}

	/**
	 * Create an exception with a message of its own.
	 * @param message what failed, why, and what to do
	 * @param key the key
	 * @param waited how long the caller waited
	 */
	public LockBusyException(String message, LockKey key, Duration waited) {
		super(key.value(), message, null);
		this.waited = waited;
	}

	/**
	 * Return how long the caller waited.
	 * @return the time waited, zero for a single attempt
	 */
	public Duration getWaited() {
		return this.waited;
	}

}
