package io.leasehold.interceptor;

import io.leasehold.LockEngineException;

/**
 * Policy of an annotated method without a fallback if the store does not respond.
 */
public enum UnavailablePolicy {

	/** Throw the exception. */
	FAIL,

	/**
	 * Run without the lock. Permanent failures, such as wrong credentials or a shutdown,
	 * are thrown nevertheless: otherwise they would disable the locks for good.
	 */
	PROCEED;

	boolean letsPass(LockEngineException failure) {
		return this == PROCEED && failure.isRetryable();
	}

}
