package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the store could not answer: unreachable, too slow, refusing or
 * misconfigured, or the engine is shutting down. Says nothing about who owns the lock.
 */
public class LockEngineException extends LockException {

	private static final long serialVersionUID = 1L;

	private final boolean retryable;

	private final @Nullable String refusal;

	/**
	 * Create an exception for a failure that may pass by itself, such as a timeout, a
	 * broken connection or a deadlock: asking again within the wait time makes sense.
	 * @param key the lock's key, or {@code null} if no single lock is concerned
	 * @param message what could not be done, naming the lock
	 * @param cause the client's exception, if any
	 */
	public LockEngineException(@Nullable LockKey key, String message, @Nullable Throwable cause) {
		this(key, message, cause, true);
	}

	/**
	 * Create an exception.
	 * @param key the lock's key, or {@code null} if no single lock is concerned
	 * @param message what could not be done, naming the lock
	 * @param cause the client's exception, if any
	 * @param retryable whether asking again within the wait time makes sense
	 */
	public LockEngineException(@Nullable LockKey key, String message, @Nullable Throwable cause, boolean retryable) {
		this(key, message, cause, retryable, null);
	}

	/**
	 * Create an exception for a store that answered, but refused.
	 * @param key the lock's key, or {@code null} if no single lock is concerned
	 * @param message what could not be done, naming the lock
	 * @param cause the client's exception, if any
	 * @param retryable whether asking again within the wait time makes sense
	 * @param refusal the store's word for it, one of a few, such as {@code READONLY}; or
	 * {@code null} if it did not answer
	 */
	public LockEngineException(@Nullable LockKey key, String message, @Nullable Throwable cause, boolean retryable,
			@Nullable String refusal) {
		super((key != null) ? key.value() : null, message, cause);
		this.retryable = retryable;
		this.refusal = refusal;
	}

	/**
	 * Return whether asking again may help.
	 * @return {@code false} for a failure that needs somebody's hand, such as a missing
	 * table or wrong credentials
	 */
	public boolean isRetryable() {
		return this.retryable;
	}

	/**
	 * Return the store's word for refusing.
	 * @return one of a few for each engine, such as {@code READONLY}, or {@code null} if
	 * the store did not answer, or its engine tells no such words
	 */
	public @Nullable String refusal() {
		if (this.refusal != null) {
			return this.refusal;
		}
		return (getCause() instanceof LockEngineException cause) ? cause.refusal() : null;
	}

}
