package io.leasehold;

/**
 * Whether a lock is for one owner alone.
 */
public enum LockMode {

	/** One owner, and nobody beside it: a write lock. */
	EXCLUSIVE,

	/**
	 * Any number of owners that all take it shared, and no exclusive one: a read lock. It
	 * waits for an exclusive claim that came before it.
	 */
	SHARED

}
