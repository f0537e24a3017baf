package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Superclass of everything that can go wrong with a lock. The message names the key and
 * has no line breaks, whatever the key or the failure of a driver holds. A
 * {@code LockException} of another kind is never its cause, but suppressed: exception
 * handlers and retries also decide by causes, and would take one kind for the other.
 */
public abstract class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final @Nullable String key;

	/**
	 * Create an exception.
	 * @param key the key as it is, if there is one
	 * @param message what went wrong; line breaks and control characters in it become
	 * blanks
	 * @param cause why, if another exception tells; one of ours of another kind is
	 * suppressed
	 */
	protected LockException(@Nullable String key, String message, @Nullable Throwable cause) {
		super(ReadableText.onOneLine(message));
		this.key = key;
		if (cause instanceof LockException other && !isOfOneKindWith(other)) {
			addSuppressed(other);
		}
		else {
			initCause(cause);
		}
	}

	private boolean isOfOneKindWith(LockException other) {
		return getClass().isInstance(other) || other.getClass().isInstance(this);
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
