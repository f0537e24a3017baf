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

	/** Close a lock that was acquired in vain. */
	CompletableFuture<Void> closeInBackground(HeldLock held) {
		return CompletableFuture.runAsync(held::close, this.threads.releases());
	}

	/** Close a lock without blocking the caller, whose code completes in its thread. */
	CompletableFuture<Void> closeAsync(HeldLock lock) {
		CompletableFuture<Void> result = new CompletableFuture<>();
		this.threads.releases().execute(() -> {
			CompletableFuture<Void> closing = CompletableFuture.runAsync(lock::close, Runnable::run);
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
