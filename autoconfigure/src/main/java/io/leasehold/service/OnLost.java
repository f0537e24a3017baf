package io.leasehold.service;

/**
 * Notification of a holder whose lock was lost, in addition to the event and the state of
 * its {@link io.leasehold.HeldLock}.
 */
public enum OnLost {

	/** Closing the lock throws {@link io.leasehold.LockLostException}. */
	THROW,

	/**
	 * The thread that runs an annotated method is interrupted, and closing the lock
	 * throws {@link io.leasehold.LockLostException}.
	 */
	INTERRUPT,

	/** A warning is logged, but no exception is thrown. */
	WARN

}
