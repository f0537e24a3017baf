package io.leasehold.service;

import io.leasehold.LockView;
import io.leasehold.ReadWriteLockView;

/**
 * Read lock and write lock of a key.
 *
 * @param readLock the shared lock
 * @param writeLock the exclusive lock
 */
record KeyReadWriteLock(LockView readLock, LockView writeLock) implements ReadWriteLockView {
}
