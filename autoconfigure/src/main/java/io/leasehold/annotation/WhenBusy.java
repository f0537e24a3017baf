package io.leasehold.annotation;

/**
 * What a method call does when another owner kept the lock for the whole wait time.
 */
public enum WhenBusy {

	/** Throw {@link io.leasehold.LockBusyException}. */
	THROW,

	/**
	 * Do not run the method: return {@code null}, or an empty {@code Optional}. Refused
	 * at start-up for methods that return a primitive. A store that cannot be reached is
	 * still an exception.
	 */
	SKIP

}
