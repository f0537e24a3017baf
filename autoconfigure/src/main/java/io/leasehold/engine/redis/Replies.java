package io.leasehold.engine.redis;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;

/**
 * Waiting for the store. A thread's interruption does not cut it short, since it is
 * bounded and the answer matters; the flag is kept.
 */
final class Replies {

	private Replies() {
	}

	/**
	 * Return the result of a future.
	 * @param deadline reading of {@link System#nanoTime()}
	 * @throws RedisCommandTimeoutException if there was none in time
	 * @throws RedisException if it failed
	 */
	static <T> T await(Future<T> future, long deadline) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return future.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (TimeoutException ex) {
			throw new RedisCommandTimeoutException("no answer in time");
		}
		catch (ExecutionException | CancellationException ex) {
			throw asRedisException(ex);
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private static RedisException asRedisException(Throwable failure) {
		Throwable cause = failure;
		while ((cause instanceof ExecutionException || cause instanceof CompletionException)
				&& cause.getCause() != null) {
			cause = cause.getCause();
		}
		return (cause instanceof RedisException known) ? known : new RedisException(cause);
	}

}
