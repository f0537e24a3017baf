package io.leasehold.integration;

import java.time.Duration;

import io.leasehold.DistributedLocks;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/**
 * Spring Integration's registry of locks, on the default engine. All objects for one key
 * are one lock to their thread. Locks are renewed while they are held, so neither a
 * renewal nor an expiry of unused locks is needed. A lock that was lost is reported by a
 * {@link java.util.ConcurrentModificationException} when it is unlocked. Thread-safe.
 *
 * @param minLease shortest lease that the default engine accepts; the lease of a shorter
 * time to live
 */
public record LeaseholdLockRegistry(DistributedLocks locks,
		Duration minLease) implements RenewableLockRegistry<DistributedLock>, ExpirableLockRegistry<DistributedLock> {

	/**
	 * Return the lock of a key. Its times to live are leases, of at least the shortest
	 * one of the engine.
	 * @param lockKey text, number, UUID, enum constant or another object whose text is
	 * the same in each process; a text that is too long for a lock gets a digest
	 * @return the lock, which is not acquired yet
	 * @throws io.leasehold.LockKeyException if the object cannot be a key
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return lock(lockKey);
	}

	/**
	 * Check that the current thread holds a lock, which is renewed in any case.
	 * @throws IllegalStateException if it does not hold the lock
	 * @throws java.util.ConcurrentModificationException if it has lost the lock
	 */
	@Override
	public void renewLock(Object lockKey) {
		lock(lockKey).requireHeld();
	}

	/** Check that the current thread holds a lock, which keeps its lease. */
	@Override
	public void renewLock(Object lockKey, Duration timeToLive) {
		renewLock(lockKey);
	}

	/** Do nothing: nothing is kept of a lock that is not held. */
	@Override
	public void expireUnusedOlderThan(long age) {
		// see above
	}

	private RegistryLock lock(Object key) {
		return new RegistryLock(this.locks, RegistryKeys.of(key), this.minLease);
	}

}
