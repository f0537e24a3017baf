package io.leasehold;

/**
 * Scope of a lock: what ends it.
 */
public enum LockScope {

	/** The lock is a lease, which is held while the method runs. */
	METHOD,

	/**
	 * The lock is part of the caller's database transaction and ends with it, whatever
	 * becomes of the process. Requires the engine {@code jdbc}. There is no lease, no
	 * fencing token and no {@link HeldLock}. Such a lock and a lock of scope
	 * {@link #METHOD} do not exclude each other, even with the same key.
	 */
	TRANSACTION

}
