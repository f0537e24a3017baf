package io.leasehold;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A key as a {@link ReadWriteLock}, with access to what the current thread holds through
 * it. Thread-safe.
 *
 * @see DistributedLocks#asReadWriteLock(String)
 */
public interface ReadWriteLockView extends ReadWriteLock {

	@Override
	LockView readLock();

	@Override
	LockView writeLock();

}
