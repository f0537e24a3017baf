package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Exception for a key that cannot name a lock: null, blank, too long, built from a null
 * part, or of a type whose text does not identify its value. Thrown before any request.
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
