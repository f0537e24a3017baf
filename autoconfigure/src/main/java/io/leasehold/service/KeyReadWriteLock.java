package io.leasehold.service;

import io.leasehold.LockView;
import io.leasehold.ReadWriteLockView;

/**
 * A key as a read lock and a write lock.
 *
 * @param readLock the shared lock
 * @param writeLock the exclusive lock
 */
record KeyReadWriteLock(LockView readLock, LockView writeLock) implements ReadWriteLockView {
}
