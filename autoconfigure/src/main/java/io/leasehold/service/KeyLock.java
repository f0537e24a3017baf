package io.leasehold.service;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LockModeException;
import io.leasehold.LockOptions;
import io.leasehold.LockView;
import io.leasehold.ReadWriteLockView;

/**
 * {@link LockView} of a key, owned by its thread. It is not renewed after that has died.
 */
final class KeyLock implements LockView {

	private final EngineLocks locks;

	private final LockKey key;

	private final LockOptions options;

	private final ThreadLocks.Monitor monitor;

	KeyLock(EngineLocks locks, LockKey key, LockOptions options) {
		this.locks = locks;
		this.key = key;
		this.options = options;
		this.monitor = new ThreadLocks.Monitor(locks.holds(), key, options.mode(), options.permits());
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
		try {
			acquire(LockOptions.UNLIMITED);
		}
		catch (LockInterruptedException ex) {
			throw interruption(ex);
		}
	}

	@Override
	public boolean tryLock() {
		boolean interrupted = Thread.interrupted();
		try {
			return isAcquired(Duration.ZERO);
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
			return isAcquired(Duration.ofNanos(Math.max(0, unit.toNanos(time))));
		}
		catch (LockInterruptedException ex) {
			throw interruption(ex);
		}
	}

	@Override
	public void unlock() {
		HeldLock last = ThreadLocks.remove(this.monitor);
		if (last == null) {
			throw new IllegalMonitorStateException("Lock '%s' is not held by thread '%s' through asLock"
				.formatted(this.key, Thread.currentThread().getName()));
		}
		last.close();
	}

	@Override
	public Optional<HeldLock> held() {
		return Optional.ofNullable(ThreadLocks.newest(this.monitor));
	}

	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("A distributed lock has no conditions");
	}

	private static InterruptedException interruption(LockInterruptedException reason) {
		Thread.interrupted();
		InterruptedException interruption = new InterruptedException(reason.getMessage());
		interruption.initCause(reason);
		return interruption;
	}

	/**
	 * Acquire the lock, and return {@code false} if it is busy or the thread itself
	 * shares the key, which prevents exclusive access. Throw the exception for a
	 * different number of permits.
	 */
	private boolean isAcquired(Duration waitTime) {
		try {
			acquire(waitTime);
			return true;
		}
		catch (LockBusyException ex) {
			return false;
		}
		catch (LockModeException ex) {
			if (this.options.permits() > 0) {
				throw ex;
			}
			return false;
		}
	}

	/**
	 * Acquire the lock. A thread that lost it must first unlock the lost lock, because
	 * the code from the first {@code lock()} to the last {@code unlock()} relies on one
	 * lock. The loss may also occur during this acquisition.
	 */
	private void acquire(Duration waitTime) {
		ThreadLocks.throwIfLost(this.locks.holds(), this.key);
		Handle acquired = this.locks.acquirer.acquire(this.key, this.options.toBuilder().waitTime(waitTime).build(),
				true, Acquirer.BUSY_BYPASSED);
		try {
			ThreadLocks.throwIfLost(this.locks.holds(), this.key);
		}
		catch (LockLostException ex) {
			try (acquired) {
				throw ex;
			}
		}
		ThreadLocks.add(this.monitor, acquired);
	}

	@Override
	public String toString() {
		return "Lock '%s'".formatted(this.key);
	}

	/** Read lock and write lock of a key. */
	record Pair(LockView readLock, LockView writeLock) implements ReadWriteLockView {
	}

}
