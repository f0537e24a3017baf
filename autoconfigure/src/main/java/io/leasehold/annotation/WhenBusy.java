package io.leasehold.annotation;

/**
 * Behaviour of a method call if another owner held the lock for the whole wait time.
 */
public enum WhenBusy {

	/** Throw {@link io.leasehold.LockBusyException}. */
	THROW,

	/**
	 * Skip the method and return {@code null} or an empty {@code Optional}. Rejected at
	 * startup for methods that return a primitive, and for Kotlin functions whose result
	 * cannot be null. If the store does not respond, an exception is thrown.
	 */
	SKIP

}
