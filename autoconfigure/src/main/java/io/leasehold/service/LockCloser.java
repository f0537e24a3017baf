package io.leasehold.service;

import java.util.concurrent.CompletableFuture;

import io.leasehold.HeldLock;

/**
 * Closing of locks in threads of the library.
 */
record LockCloser(EngineThreads threads) {

	/** Close an unused lock, for a caller that blocks on the result. */
	CompletableFuture<Void> discard(HeldLock lock) {
		return CompletableFuture.runAsync(discarding(lock), this.threads.releases());
	}

	/** Close an unused lock without blocking the caller. */
	CompletableFuture<Void> discardAsync(HeldLock lock) {
		return closeAsync(discarding(lock));
	}

	private static Runnable discarding(HeldLock lock) {
		return (lock instanceof Handle handle) ? handle::discard : lock::close;
	}

	/** Close a lock without blocking; the future completes in a thread for user code. */
	CompletableFuture<Void> closeAsync(HeldLock lock) {
		return closeAsync(lock::close);
	}

	private CompletableFuture<Void> closeAsync(Runnable close) {
		return CompletableFuture.runAsync(close, this.threads.releases()).whenCompleteAsync((closed, failure) -> {
		}, this.threads.callers());
	}

}
