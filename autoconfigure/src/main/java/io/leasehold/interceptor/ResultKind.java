package io.leasehold.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * When the result of a method is there, which is how long its lock is held. Thread-safe.
 */
interface ResultKind {

	/**
	 * Run a method under its lock.
	 * @param call the call
	 * @return what the caller gets
	 * @throws Throwable what the method throws, or why it did not run
	 */
	@Nullable Object invoke(LockCall call) throws Throwable;

}
