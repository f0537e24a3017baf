package io.leasehold.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.leasehold.DistributedLocks;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockOptions;
import io.leasehold.LockView;

import org.springframework.integration.support.locks.DistributedLock;

/**
 * Lock of a {@link LeaseholdLockRegistry}. Thread-safe.
 */
record RegistryLock(DistributedLocks locks, String key, Duration minLease, LockView view) implements DistributedLock {

	RegistryLock(DistributedLocks locks, String key, Duration minLease) {
		this(locks, key, minLease, locks.asLock(key));
	}

	@Override
	public void lock() {
		this.view.lock();
	}

	@Override
	public void lock(Duration timeToLive) {
		viewFor(timeToLive).lock();
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		this.view.lockInterruptibly();
	}

	@Override
	public boolean tryLock() {
		return this.view.tryLock();
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return this.view.tryLock(time, unit);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration timeToLive) throws InterruptedException {
		return viewFor(timeToLive).tryLock(TimeUnit.NANOSECONDS.convert(waitTime), TimeUnit.NANOSECONDS);
	}

	/** Return a view that acquires the lock with another lease. */
	private LockView viewFor(Duration timeToLive) {
		Duration lease = (timeToLive.compareTo(this.minLease) < 0) ? this.minLease : timeToLive;
		LockOptions options = this.locks.defaults().toBuilder().lease(lease).build();
		return this.locks.asLock(this.key, options);
	}

	@Override
	public void unlock() {
		reportingLoss(this.view::unlock);
	}

	/** Check that the current thread holds the lock, and has not lost it. */
	void requireHeld() {
		reportingLoss(() -> this.view.held()
			.orElseThrow(() -> new IllegalStateException(
					"Lock '%s' is not held by this thread".formatted(LockKey.readable(this.key))))
			.throwIfLost());
	}

	/** Report a lost lock as Spring Integration's registries do. */
	private static void reportingLoss(Runnable action) {
		try {
			action.run();
		}
		catch (LockLostException ex) {
			throw new ConcurrentModificationException(ex.getMessage(), ex);
		}
	}

	@Override
	public Condition newCondition() {
		return this.view.newCondition();
	}

	@Override
	public String toString() {
		return this.view.toString();
	}

}
