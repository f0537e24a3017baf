package io.leasehold.engine;

/**
 * Optional feature of an engine, beyond the common contract.
 */
public enum Capability {

	/** The store queues waiting claims and grants them in the order of their arrival. */
	FIFO,

	/**
	 * The store itself keeps a released or orphaned key locked to the end of its minimum
	 * hold. Otherwise the holder's process does so while it lives.
	 */
	MIN_HOLD,

	/**
	 * The store keeps a key locked for a time after the lease of an owner that did not
	 * release it.
	 */
	LOCK_DELAY,

	/** Any number of owners may share a key. */
	SHARED,

	/** A limited number of owners may hold a key concurrently. */
	PERMITS,

	/**
	 * An exclusive grant may linger: the process keeps it after its last hold, and is
	 * notified if another process wants the key.
	 */
	LINGER

}
