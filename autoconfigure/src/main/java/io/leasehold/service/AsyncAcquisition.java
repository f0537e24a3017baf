package io.leasehold.service;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;

import io.leasehold.HeldLock;
import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * Wish of a caller that went on and will be told. It has no thread, so nobody re-enters
 * what it becomes.
 */
final class AsyncAcquisition extends Acquisition {

	final CompletableFuture<HeldLock> result;

	/** Runs the release, as decided when the caller asked. */
	final Executor releases;

	private final Acquirer acquirer;

	private volatile @Nullable Future<?> timer;

	AsyncAcquisition(LockKey key, LockOptions options, long start, CompletableFuture<HeldLock> result,
			Executor releases, Acquirer acquirer) {
		super(key, options, null, false, start);
		this.result = result;
		this.releases = releases;
		this.acquirer = acquirer;
	}

	@Override
	void wake() {
		stopTimer();
		this.acquirer.complete(this);
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
