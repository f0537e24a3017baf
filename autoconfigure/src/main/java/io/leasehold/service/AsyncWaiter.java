package io.leasehold.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * Acquisition of a caller that does not block a thread. Its result completes a future.
 */
final class AsyncWaiter extends Waiter {

	final CompletableFuture<HeldLock> result;

	final Caller caller;

	private final Consumer<AsyncWaiter> completion;

	private volatile @Nullable Future<?> timer;

	/** Create an acquisition whose future is completed in another thread. */
	AsyncWaiter(LockKey key, LockOptions options, Caller caller, long start, CompletableFuture<HeldLock> result,
			Consumer<AsyncWaiter> completion) {
		super(key, options, false, start);
		this.caller = caller;
		this.result = result;
		this.completion = completion;
	}

	/** Return a waiter that repeats this acquisition. */
	AsyncWaiter again() {
		return continuedBy(new AsyncWaiter(key(), options(), this.caller, start(), this.result, this.completion));
	}

	@Override
	public @Nullable Thread thread() {
		return null;
	}

	@Override
	public String threadName() {
		return this.caller.thread();
	}

	@Override
	protected boolean runsUnder(Hold hold) {
		for (HeldLock lock : outer()) {
			if (Handle.isOpenHandle(lock, hold)) {
				return true;
			}
		}
		return false;
	}

	@Override
	public List<HeldLock> outer() {
		return this.caller.outer();
	}

	@Override
	public void wake() {
		stopTimer();
		this.completion.accept(this);
	}

	void stopTimerAtEnd(Future<?> started) {
		this.timer = started;
		if (hasEnded()) {
			stopTimer();
		}
	}

	private void stopTimer() {
		Future<?> started = this.timer;
		if (started != null) {
			started.cancel(false);
		}
	}

	/**
	 * Caller of an acquisition of one key, as it was when it called. Another thread may
	 * begin the acquisition.
	 *
	 * @param thread name of its thread
	 * @param outer locks under which it runs, innermost first
	 * @param bypassed whether it continues without the lock after an exception
	 * @param releases executor of the release
	 */
	record Caller(String thread, List<HeldLock> outer, Predicate<LockException> bypassed,
			ReleaseTiming.Releases releases) {
	}

}
