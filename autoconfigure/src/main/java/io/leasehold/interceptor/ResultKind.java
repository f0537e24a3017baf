package io.leasehold.interceptor;

import io.leasehold.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * Kind of a method's result, which determines how long the lock is held. Thread-safe.
 */
interface ResultKind {

	/**
	 * Run a method under its lock.
	 * @throws Throwable the exception of the method, or the reason why it did not run
	 */
	@Nullable Object invoke(LockCall call) throws Throwable;

	/** Hold the lock of a method that has already returned until its result ends. */
	default Object follow(LockCall call, HeldLock held, Object returned) {
		throw new UnsupportedOperationException();
	}

}
