package io.leasehold;

/**
 * Exception for a thread that was interrupted while it waited for a lock. The thread's
 * interrupt flag is set again, and nothing is left in the store.
 */
public class LockInterruptedException extends LockException {

	private static final long serialVersionUID = 1L;

	public LockInterruptedException(LockKey key) {
		super(key.value(), "Interrupted while waiting for lock '%s'".formatted(key), null);
	}

}
