package io.leasehold;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * {@link ReadWriteLock} of a key, with access to the lock that the current thread holds
 * through it. Thread-safe.
 *
 * @see DistributedLocks#asReadWriteLock(String)
 */
public interface ReadWriteLockView extends ReadWriteLock {

	@Override
	LockView readLock();

	@Override
	LockView writeLock();

}
