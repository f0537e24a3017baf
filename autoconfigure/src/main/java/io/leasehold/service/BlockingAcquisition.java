package io.leasehold.service;

import java.util.concurrent.locks.LockSupport;

import io.leasehold.HeldLockScope;
import io.leasehold.LockEngineException;
import io.leasehold.LockInterruptedException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.engine.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * Wish of a thread that waits for it.
 */
final class BlockingAcquisition extends Acquisition {

	private final Thread thread;

	BlockingAcquisition(LockKey key, LockOptions options, Thread thread, boolean bound, long start) {
		super(key, options, bound, start);
		this.thread = thread;
	}

	@Override
	Thread owner() {
		return this.thread;
	}

	@Override
	boolean runsUnder(Hold hold) {
		return HeldLockScope.anyMatch((lock) -> isOpenHandle(lock, hold)) || ThreadLocks.include(hold);
	}

	@Override
	String asker() {
		return this.thread.getName();
	}

	/** An interrupted request fails, too, which does not mean that the store is down. */
	@Override
	@Nullable RuntimeException failure() {
		RuntimeException failure = super.failure();
		return (failure instanceof LockEngineException && this.thread.isInterrupted())
				? new LockInterruptedException(this.key) : failure;
	}

	@Override
	void wake() {
		if (this.thread != Thread.currentThread()) {
			LockSupport.unpark(this.thread);
		}
	}

	/**
	 * Wait for the result; return early when interrupted or when the wait time is over. A
	 * turn to ask comes soon, since requests are bounded.
	 */
	void await(MonotonicClock clock) {
		while (!ended() && !this.thread.isInterrupted()) {
			long rest = this.awaitsTurn ? Long.MAX_VALUE : deadline() - clock.nanoTime();
			if (rest <= 0) {
				return;
			}
			LockSupport.parkNanos(this, rest);
		}
	}

}
