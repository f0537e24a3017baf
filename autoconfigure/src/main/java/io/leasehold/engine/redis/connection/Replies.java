package io.leasehold.engine.redis.connection;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;

import io.leasehold.engine.support.Deadlines;
import org.jspecify.annotations.Nullable;

/**
 * Bounded waits for responses of the store, which interrupts do not end.
 */
public final class Replies {

	private Replies() {
	}

	/**
	 * Return the result of a future.
	 * @param deadline reading of {@link System#nanoTime()} at which to stop waiting
	 * @throws RedisFailure if the future failed or did not complete in time
	 */
	public static <T extends @Nullable Object> T await(Future<T> future, long deadline) {
		try {
			return Deadlines.await(future, deadline);
		}
		catch (TimeoutException ex) {
			throw RedisFailure.noResponse(String.valueOf(ex.getMessage()), ex);
		}
		catch (ExecutionException | CancellationException ex) {
			throw failure(ex);
		}
	}

	/** Return the failure of a future. */
	public static RedisFailure failure(Throwable thrown) {
		Throwable cause = thrown;
		while ((cause instanceof ExecutionException || cause instanceof CompletionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return (cause instanceof RedisFailure known) ? known : RedisFailure.noResponse(cause.toString(), cause);
	}

}
