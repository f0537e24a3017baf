package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Superclass of everything that can go wrong with a lock. Always names the key, so that a
 * log line tells which lock it was.
 */
public abstract class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final @Nullable String key;

	protected LockException(@Nullable String key, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.key = key;
	}

	/**
	 * Return the key of the lock.
	 * @return the key, or {@code null} if there was none: a key that evaluated to null,
	 * or a failure that concerns no single lock
	 */
	public @Nullable String getKey() {
		return this.key;
	}

}
