package io.leasehold.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
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

	/** Executor of the release, chosen when the acquisition began. */
	final ReleaseTiming.Releases releases;

	/** Whether the caller continues without the lock after an exception. */
	final Predicate<LockException> bypassed;

	/** Locks under which the caller runs. */
	private final List<HeldLock> outer;

	private final Consumer<AsyncWaiter> completion;

	private final String threadName;

	private final AtomicBoolean completed = new AtomicBoolean();

	private volatile @Nullable Future<?> timer;

	/** Create an acquisition whose future is completed in another thread. */
	AsyncWaiter(LockKey key, LockOptions options, List<HeldLock> outer, Predicate<LockException> bypassed, long start,
			CompletableFuture<HeldLock> result, ReleaseTiming.Releases releases, Consumer<AsyncWaiter> completion) {
		super(key, options, false, start);
		this.outer = outer;
		this.bypassed = bypassed;
		this.result = result;
		this.releases = releases;
		this.completion = completion;
		this.threadName = Thread.currentThread().getName();
	}

	private AsyncWaiter(AsyncWaiter former) {
		super(former.key(), former.options(), false, former.start());
		this.outer = former.outer;
		this.bypassed = former.bypassed;
		this.result = former.result;
		this.releases = former.releases;
		this.completion = former.completion;
		this.threadName = former.threadName;
	}

	/** Return a waiter that repeats this acquisition. */
	AsyncWaiter again() {
		return continuedBy(new AsyncWaiter(this));
	}

	@Override
	public @Nullable Thread thread() {
		return null;
	}

	@Override
	public String threadName() {
		return this.threadName;
	}

	@Override
	protected boolean runsUnder(Hold hold) {
		for (HeldLock lock : this.outer) {
			if (Handle.isOpenHandle(lock, hold)) {
				return true;
			}
		}
		return false;
	}

	@Override
	public List<HeldLock> outer() {
		return this.outer;
	}

	@Override
	public void wake() {
		stopTimer();
		this.completion.accept(this);
	}

	/** Return whether to complete the future: true once, however often it is called. */
	boolean completesNow() {
		return this.completed.compareAndSet(false, true);
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

}
