package io.leasehold;

/**
 * Thrown when a key is wanted in a way that contradicts how it is held, so that waiting
 * would not help or nobody knows what is meant: a thread that holds it shared asks for it
 * exclusively, or its permits are held with another number of them.
 */
public class LockModeException extends LockException {

	private static final long serialVersionUID = 1L;

	public LockModeException(LockKey key, String message) {
		super(key.value(), message, null);
	}

}
