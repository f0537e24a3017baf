package io.leasehold;

import java.util.Optional;
import java.util.concurrent.locks.Lock;

/**
 * {@link Lock} of a key, with access to the lock that the current thread holds through
 * it. Views of one key with the same engine, mode and number of permits are one lock: a
 * thread may lock one of them and unlock another. Thread-safe.
 *
 * @see DistributedLocks#asLock(String)
 */
public interface LockView extends Lock {

	/**
	 * Return the lock that the current thread holds through this view, for its fencing
	 * token, its validity and {@link HeldLock#onLost onLost}. Release it with
	 * {@link #unlock()}; do not close it.
	 * @return the lock of the latest {@code lock()} without an {@code unlock()}, valid or
	 * lost; empty if the thread holds none
	 */
	Optional<HeldLock> held();

}
