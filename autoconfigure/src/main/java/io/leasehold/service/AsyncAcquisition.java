package io.leasehold.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

import io.leasehold.HeldLock;
import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * Acquisition of a caller that does not wait in a thread. Its result completes a future.
 */
final class AsyncAcquisition extends Acquisition {

	final CompletableFuture<HeldLock> result;

	/** Locks under which the caller runs. */
	private final List<HeldLock> outer;

	/** Runs the release, as decided when the caller asked. */
	final ReleaseTiming.Releases releases;

	/** Whether the caller goes on without the lock after a failure of the store. */
	final Predicate<LockEngineException> bypassed;

	private final Acquirer acquirer;

	private String asker = Thread.currentThread().getName();

	private final AtomicBoolean completed = new AtomicBoolean();

	private volatile @Nullable Future<?> timer;

	AsyncAcquisition(LockKey key, LockOptions options, List<HeldLock> outer, Predicate<LockEngineException> bypassed,
			long start, CompletableFuture<HeldLock> result, ReleaseTiming.Releases releases, Acquirer acquirer) {
		super(key, options, false, start);
		this.outer = outer;
		this.bypassed = bypassed;
		this.result = result;
		this.releases = releases;
		this.acquirer = acquirer;
	}

	/** The same wish, once more. */
	AsyncAcquisition again() {
		AsyncAcquisition next = continuedBy(new AsyncAcquisition(this.key, this.options, this.outer, this.bypassed,
				this.start, this.result, this.releases, this.acquirer));
		next.asker = this.asker;
		return next;
	}

	@Override
	@Nullable Thread owner() {
		return null;
	}

	@Override
	boolean runsUnder(Hold hold) {
		for (HeldLock lock : this.outer) {
			if (isOpenHandle(lock, hold)) {
				return true;
			}
		}
		return false;
	}

	@Override
	String asker() {
		return this.asker;
	}

	@Override
	void wake() {
		stopTimer();
		this.acquirer.complete(this);
	}

	/** Return whether the future is to be completed; once only, however often woken. */
	boolean completesNow() {
		return this.completed.compareAndSet(false, true);
	}

	void stopTimerAtEnd(Future<?> timer) {
		this.timer = timer;
		if (ended()) {
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
