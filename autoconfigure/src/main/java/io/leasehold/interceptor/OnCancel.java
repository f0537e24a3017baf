package io.leasehold.interceptor;

/**
 * Effect of a cancelled subscription on the lock of a publisher that has not ended.
 */
public enum OnCancel {

	/**
	 * The lock is lost, and its key becomes available when the lease expires:
	 * cancellation stops no thread.
	 */
	EXPIRE,

	/** The lock is released at once. For publishers without blocking work. */
	RELEASE

}
