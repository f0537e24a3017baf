package io.leasehold.interceptor;

import io.leasehold.LockEngineException;

/**
 * What an annotated method does when the store cannot be reached and it has no fallback.
 */
public enum UnavailablePolicy {

	/** Throw the exception. */
	FAIL,

	/**
	 * Run without the lock. Not for failures that do not pass by themselves, such as
	 * wrong credentials or a shutdown: those would switch the locks off for good.
	 */
	PROCEED;

	boolean letsPass(LockEngineException failure) {
		return this == PROCEED && failure.isRetryable();
	}

}
