package io.leasehold.service;

import java.util.concurrent.CompletableFuture;

import io.leasehold.HeldLock;

/**
 * Closes locks in threads of the library.
 */
final class LockCloser {

	private final EngineThreads threads;

	LockCloser(EngineThreads threads) {
		this.threads = threads;
	}

	/** Close a lock that was acquired in vain, for a caller that waits for it. */
	CompletableFuture<Void> discard(HeldLock lock) {
		return CompletableFuture.runAsync(discarding(lock), this.threads.releases());
	}

	/** Close a lock that was acquired in vain, without blocking the caller. */
	CompletableFuture<Void> discardAsync(HeldLock lock) {
		return closeAsync(discarding(lock));
	}

	private static Runnable discarding(HeldLock lock) {
		return (lock instanceof Handle handle) ? handle::discard : lock::close;
	}

	/** Close a lock without blocking the caller, whose code completes in its thread. */
	CompletableFuture<Void> closeAsync(HeldLock lock) {
		return closeAsync(lock::close);
	}

	private CompletableFuture<Void> closeAsync(Runnable close) {
		CompletableFuture<Void> result = new CompletableFuture<>();
		this.threads.releases().execute(() -> {
			CompletableFuture<Void> closing = CompletableFuture.runAsync(close, Runnable::run);
			this.threads.callers().execute(() -> closing.whenComplete((closed, failure) -> {
				if (failure == null) {
					result.complete(closed);
				}
				else {
					result.completeExceptionally(failure);
				}
			}));
		});
		return result;
	}

}
