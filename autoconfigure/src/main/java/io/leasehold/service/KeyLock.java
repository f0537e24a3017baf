package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;

/**
 * A key as a {@link Lock}: owned by its thread, with whose life it ends.
 */
final class KeyLock implements Lock {

	private final Coordinator coordinator;

	private final LockKey key;

	private final LockOptions options;

	KeyLock(Coordinator coordinator, LockKey key, LockOptions options) {
		this.coordinator = coordinator;
		this.key = key;
		this.options = options;
	}

	@Override
	public void lock() {
		boolean interrupted = Thread.interrupted();
		try {
			while (true) {
				try {
					acquire(LockOptions.UNLIMITED);
					return;
				}
				catch (LockInterruptedException ex) {
					interrupted |= Thread.interrupted();
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		acquireInterruptibly(LockOptions.UNLIMITED);
	}

	@Override
	public boolean tryLock() {
		boolean interrupted = Thread.interrupted();
		try {
			acquire(Duration.ZERO);
			return true;
		}
		catch (LockBusyException ex) {
			return false;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		try {
			acquireInterruptibly(Duration.ofNanos(Math.max(0, unit.toNanos(time))));
			return true;
		}
		catch (LockBusyException ex) {
			return false;
		}
	}

	@Override
	public void unlock() {
		HeldLock last = ThreadLocks.remove(this);
		if (last == null) {
			throw new IllegalMonitorStateException("Lock '%s' is not held by thread '%s' through this object"
				.formatted(this.key, Thread.currentThread().getName()));
		}
		last.close();
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	private void acquireInterruptibly(Duration waitTime) throws InterruptedException {
		try {
			acquire(waitTime);
		}
		catch (LockInterruptedException ex) {
			Thread.interrupted();
			throw (InterruptedException) new InterruptedException(ex.getMessage()).initCause(ex);
		}
	}

	private void acquire(Duration waitTime) {
		ThreadLocks.add(this, this.coordinator.acquireForThread(this.key, this.options.withWaitTime(waitTime)));
	}

	@Override
	public String toString() {
		return "Lock '%s'".formatted(this.key);
	}

}
