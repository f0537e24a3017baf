package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * The work of a method under its lock, for one subscription.
 */
interface ReactiveWork {

	/** Call the method, and return its publisher. */
	Publisher<Object> begin();

	/**
	 * Wait for the end of the work after its publisher was cancelled.
	 * @return completes when the work has ended, or {@code null} if that is not reported
	 */
	default @Nullable CompletableFuture<Void> whenEnded() {
		return null;
	}

}
