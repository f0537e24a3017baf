package io.leasehold.engine;

/**
 * What an engine can do beyond the contract that all of them keep.
 */
public enum Capability {

	/** The store queues waiting claims and serves them in their order of arrival. */
	FIFO,

	/**
	 * The store itself keeps a released or orphaned key closed to the end of its min
	 * hold. Without it, a key is kept closed while the process of its holder lives.
	 */
	MIN_HOLD,

	/**
	 * The store keeps a key closed for a while after the lease of an owner that did not
	 * release it.
	 */
	LOCK_DELAY,

	/** Any number of owners may share a key. */
	SHARED,

	/** A fixed number of owners may hold a key at once. */
	PERMITS

}
