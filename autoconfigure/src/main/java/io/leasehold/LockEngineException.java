package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Exception for a store that is unreachable, too slow or misconfigured, or that rejects
 * requests, and for an engine that is shutting down. The lock may be free or held.
 */
public class LockEngineException extends LockException {

	private static final long serialVersionUID = 1L;

	private final boolean retryable;

	private final @Nullable String refusal;

	/**
	 * Create an exception for a failure that may be transient, such as a timeout, a
	 * broken connection or a deadlock. The request is retried within the wait time.
	 */
	public LockEngineException(@Nullable LockKey key, String message, @Nullable Throwable cause) {
		this(key, message, cause, true);
	}

	/** Create an exception without an error code of the store. */
	public LockEngineException(@Nullable LockKey key, String message, @Nullable Throwable cause, boolean retryable) {
		this(key, message, cause, retryable, null);
	}

	/**
	 * Create an exception for a store that rejected the request.
	 * @param key the lock's key, or {@code null} if no single lock is affected
	 * @param message what failed, naming the lock
	 * @param cause the client's exception, if any
	 * @param retryable whether a retry within the wait time may succeed
	 * @param refusal the store's error code, one of a small set, such as
	 * {@code READONLY}; {@code null} if it did not respond
	 */
	public LockEngineException(@Nullable LockKey key, String message, @Nullable Throwable cause, boolean retryable,
			@Nullable String refusal) {
		super((key != null) ? key.value() : null, message, cause);
		this.retryable = retryable;
		this.refusal = refusal;
	}

	/**
	 * Return whether a retry may succeed.
	 * @return {@code false} for a failure that requires an operator, such as a missing
	 * table or wrong credentials
	 */
	public boolean isRetryable() {
		return this.retryable;
	}

	/**
	 * Return the store's error code.
	 * @return one of a small set per engine, such as {@code READONLY}; {@code null} if
	 * the store did not respond, or if its engine has no such codes
	 */
	public @Nullable String refusal() {
		if (this.refusal != null) {
			return this.refusal;
		}
		return (getCause() instanceof LockEngineException cause) ? cause.refusal() : null;
	}

}
