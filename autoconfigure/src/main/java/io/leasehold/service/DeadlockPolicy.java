package io.leasehold.service;

/**
 * What happens if callers of this process wait for each other's locks.
 */
public enum DeadlockPolicy {

	/** A warning names them. They wait until their wait times end. */
	WARN,

	/**
	 * A warning names them, and the one that was last to wait fails with a
	 * {@link io.leasehold.LockBusyException}.
	 */
	BREAK

}
