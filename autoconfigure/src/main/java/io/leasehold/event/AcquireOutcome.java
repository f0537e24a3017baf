package io.leasehold.event;

/**
 * How an acquisition ended.
 */
public enum AcquireOutcome {

	/** The key was granted. */
	ACQUIRED,

	/** The thread held the key already. */
	REENTERED,

	/** The method ran without its lock, as configured. */
	BYPASSED,

	/** The method's condition wanted no lock for this call. */
	NOT_WANTED,

	/** Another owner kept the key for the whole wait time. */
	BUSY,

	/** The waiting thread was interrupted, or the wait was cancelled. */
	INTERRUPTED,

	/** The store did not answer. */
	UNAVAILABLE,

	/** Anything else, such as an unusable key. */
	ERROR

}
