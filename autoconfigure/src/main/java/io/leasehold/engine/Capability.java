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
	MIN_HOLD

}
