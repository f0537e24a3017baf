package io.leasehold.service;

/**
 * When a {@link io.leasehold.LockBusyException} names the holders of the lock. This costs
 * one request to the store, after the wait. Concurrent callers of a key share it.
 */
public enum HolderReport {

	/** If the caller has waited. A single attempt sends no further request. */
	AFTER_WAIT,

	/** Also after a single attempt. */
	ALWAYS,

	/** Never. */
	NEVER

}
