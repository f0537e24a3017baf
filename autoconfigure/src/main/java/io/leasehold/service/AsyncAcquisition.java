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

	private final Coordinator coordinator;

	private volatile @Nullable Future<?> timer;

	AsyncAcquisition(LockKey key, LockOptions options, long start, CompletableFuture<HeldLock> result,
			Executor releases, Coordinator coordinator) {
		super(key, options, null, false, start);
		this.result = result;
		this.releases = releases;
		this.coordinator = coordinator;
	}

	@Override
	void wake() {
		this.coordinator.threads().workers().execute(() -> this.coordinator.complete(this));
	}

	void giveUpAfter(long nanos, Runnable giveUp) {
		this.timer = this.coordinator.threads().schedule(giveUp, nanos);
		if (ended()) {
			stopTimer();
		}
	}

	void stopTimer() {
		Future<?> started = this.timer;
		if (started != null) {
			started.cancel(false);
		}
	}

}
