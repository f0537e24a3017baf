package io.leasehold.interceptor;

import io.leasehold.HeldLock;
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

	/**
	 * Hold a lock until a result has ended that the method has returned already.
	 * @param call the call
	 * @param held the lock under which the method ran
	 * @param returned what it returned
	 * @return what the caller gets in its place
	 */
	default Object follow(LockCall call, HeldLock held, Object returned) {
		throw new UnsupportedOperationException();
	}

}
