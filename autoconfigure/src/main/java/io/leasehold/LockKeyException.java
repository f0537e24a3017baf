package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a key cannot name a lock: null, blank, too long, built from a null part, or
 * of a type whose text says nothing about its value. Raised before any lock is asked for.
 */
public class LockKeyException extends LockException {

	private static final long serialVersionUID = 1L;

	public LockKeyException(@Nullable String key, String message) {
		this(key, message, null);
	}

	public LockKeyException(@Nullable String key, String message, @Nullable Throwable cause) {
		super(key, message, cause);
	}

}
