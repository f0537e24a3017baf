package io.leasehold;

import java.time.Duration;

/**
 * Exception for a lock that another owner still held at the end of the wait time. The
 * store responded; otherwise a {@link LockEngineException} is thrown.
 */
public class LockBusyException extends LockException {

	private static final long serialVersionUID = 1L;

	private final Duration waited;

	public LockBusyException(LockKey key, String engine, Duration waited) {
		super(key.value(), "Lock '%s' could not be acquired within %d ms: another owner held it (engine: %s)"
			.formatted(key, waited.toMillis(), engine), null);
		this.waited = waited;
	}

	/**
	 * Create an exception with a given message.
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
