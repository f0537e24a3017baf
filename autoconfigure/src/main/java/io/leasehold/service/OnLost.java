package io.leasehold.service;

/**
 * How a holder learns that its lock was lost, beside the event and the state of its
 * {@link io.leasehold.HeldLock}.
 */
public enum OnLost {

	/** Closing the lock throws {@link io.leasehold.LockLostException}. */
	THROW,

	/**
	 * The thread that runs an annotated method is interrupted, and closing the lock
	 * throws {@link io.leasehold.LockLostException}.
	 */
	INTERRUPT,

	/** A warning is logged, nothing is thrown. */
	WARN

}
