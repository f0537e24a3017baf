package io.leasehold.event;

/**
 * Result of a renewal.
 */
public enum RenewalResult {

	/** The lease was extended. */
	RENEWED,

	/** The store no longer knows the owner. */
	NOT_OWNER,

	/** The store did not respond. */
	UNKNOWN

}
