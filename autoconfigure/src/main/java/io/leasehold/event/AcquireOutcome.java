package io.leasehold.event;

/**
 * Outcome of an acquisition.
 */
public enum AcquireOutcome {

	/** The key was granted. */
	ACQUIRED,

	/** The thread already held the key. */
	REENTERED,

	/** The method ran without its lock, as configured. */
	BYPASSED,

	/** The method's condition required no lock for this call. */
	NOT_WANTED,

	/** Another owner held the key for the whole wait time. */
	BUSY,

	/** The waiting thread was interrupted, or the wait was cancelled. */
	INTERRUPTED,

	/** The store did not respond. */
	UNAVAILABLE,

	/** Any other failure, such as an invalid key. */
	ERROR

}
