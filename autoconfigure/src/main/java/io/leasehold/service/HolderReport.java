package io.leasehold.service;

/**
 * Condition for naming a lock's holders in a {@link io.leasehold.LockBusyException}. This
 * costs one request to the store after the wait, which concurrent callers of a key share.
 */
public enum HolderReport {

	/** If the caller has waited. A single attempt sends no further request. */
	AFTER_WAIT,

	/** Also after a single attempt. */
	ALWAYS,

	/** Never. */
	NEVER

}
