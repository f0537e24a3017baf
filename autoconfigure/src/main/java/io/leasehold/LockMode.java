package io.leasehold;

/**
 * Mode of a lock: exclusive or shared.
 */
public enum LockMode {

	/** One owner: a write lock. */
	EXCLUSIVE,

	/**
	 * Any number of shared owners, no exclusive one: a read lock. It waits for an
	 * exclusive claim that came before it.
	 */
	SHARED

}
