package io.leasehold.service;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Acquisition of a caller that blocks its thread. A simulation replaces how the thread
 * blocks.
 */
class BlockingWaiter extends Waiter {

	private final Thread thread;

	BlockingWaiter(LockKey key, LockOptions options, Thread thread, boolean bound, long start) {
		super(key, options, bound, start);
		this.thread = thread;
	}

	/** Return a waiter that repeats this acquisition. */
	BlockingWaiter again() {
		return continuedBy(new BlockingWaiter(key(), options(), this.thread, isBound(), start()));
	}

	@Override
	public final Thread thread() {
		return this.thread;
	}

	@Override
	public String threadName() {
		return this.thread.getName();
	}

	@Override
	protected boolean runsUnder(Hold hold) {
		return HeldLockScope.anyMatch((lock) -> Handle.isOpenHandle(lock, hold)) || ThreadLocks.include(hold)
				|| Handle.waitsForCaller(hold);
	}

	@Override
	protected boolean endsBefore(Hold hold) {
		return Handle.waitsForSuspended(hold);
	}

	@Override
	public List<HeldLock> outer() {
		return ThreadLocks.outer();
	}

	/** Report a request that failed in an interrupted thread as an interruption. */
	@Override
	public @Nullable RuntimeException failure() {
		RuntimeException failure = super.failure();
		return (failure instanceof LockEngineException && this.thread.isInterrupted())
				? new LockInterruptedException(key()) : failure;
	}

	@Override
	public void wake() {
		if (this.thread != Thread.currentThread()) {
			unpark();
		}
	}

	/** Block the thread until it is unparked or interrupted, or a time has passed. */
	void park(long nanos) {
		LockSupport.parkNanos(this, nanos);
	}

	void unpark() {
		LockSupport.unpark(this.thread);
	}

	/**
	 * Wait for the result, an interruption or the end of the wait time. The wait for a
	 * turn to send a request has no separate limit, because requests are bounded.
	 */
	final void await(MonotonicClock clock) {
		while (!hasEnded() && !this.thread.isInterrupted()) {
			long rest = awaitsTurn() ? Long.MAX_VALUE : deadline() - clock.nanoTime();
			if (rest <= 0) {
				return;
			}
			park(rest);
		}
	}

	/** Constructor of waiters. */
	interface Factory {

		BlockingWaiter create(LockKey key, LockOptions options, Thread thread, boolean bound, long start);

	}

}
