package io.leasehold.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * Check of the values that a method returns, before its lock is released.
 */
interface ValueCheck {

	/** Check of methods whose declared type shows that their values are complete. */
	ValueCheck NONE = (value) -> null;

	/**
	 * Return why a value must not be returned: it contains work that would continue
	 * without the lock.
	 * @return the exception to throw, {@code null} if the value is complete
	 */
	@Nullable IllegalStateException refusal(@Nullable Object value);

}
