package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Superclass of all lock exceptions. The message names the key and has no line breaks. A
 * {@code LockException} of another type is never the cause, but suppressed: exception
 * handlers and retries also match causes, and would confuse the types.
 */
public abstract class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final @Nullable String key;

	/**
	 * Create an exception.
	 * @param key the unescaped key, if there is one
	 * @param message what went wrong; line breaks and control characters are replaced by
	 * spaces
	 * @param cause the cause, if any; a {@code LockException} of another type is
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
	 * @return the key, or {@code null} if it evaluated to null or no single lock is
	 * affected
	 */
	public @Nullable String getKey() {
		return this.key;
	}

}
