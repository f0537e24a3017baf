package io.leasehold;

/**
 * Work that runs under a lock.
 *
 * @param <T> type of the result
 * @param <X> type of the checked exception, {@link RuntimeException} if there is none
 */
@FunctionalInterface
public interface LockedCall<T, X extends Throwable> {

	/**
	 * Run the work.
	 * @param lock the lock that is held during the call
	 * @return the result
	 * @throws X any exception of the work
	 */
	T call(HeldLock lock) throws X;

}
