package io.leasehold;

/**
 * Work to be done under a lock.
 *
 * @param <T> type of the result
 * @param <X> type of the checked exception, {@link RuntimeException} if there is none
 */
@FunctionalInterface
public interface LockedCall<T, X extends Throwable> {

	/**
	 * Do the work.
	 * @param lock the lock that is held meanwhile
	 * @return the result
	 * @throws X whatever the work throws
	 */
	T call(HeldLock lock) throws X;

}
