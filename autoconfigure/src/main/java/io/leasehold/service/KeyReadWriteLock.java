package io.leasehold.service;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;

/**
 * A key as a {@link ReadWriteLock}.
 *
 * @param readLock the shared lock
 * @param writeLock the exclusive lock
 */
record KeyReadWriteLock(Lock readLock, Lock writeLock) implements ReadWriteLock {
}
