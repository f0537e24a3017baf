package io.leasehold;

/**
 * Exception for an acquisition that contradicts how the key is held, so that waiting
 * would not help. Either a thread that holds the key shared requests it exclusively, or
 * the key is held with another number of permits.
 */
public class LockModeException extends LockException {

	private static final long serialVersionUID = 1L;

	public LockModeException(LockKey key, String message) {
		super(key.value(), message, null);
	}

}
