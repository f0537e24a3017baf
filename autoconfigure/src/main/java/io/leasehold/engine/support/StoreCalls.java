package io.leasehold.engine.support;

import java.time.Duration;

import io.leasehold.LockEngineException;
import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Calls of an engine whose requests throw checked exceptions. They have one timeout, fail
 * after the engine was closed, and translate failures of the store. Thread-safe.
 */
public final class StoreCalls {

	private final OpenState state;

	private final Duration timeout;

	private final Translation failures;

	/**
	 * Create the calls of an engine.
	 * @param state state of the engine
	 * @param timeout maximum duration of a call
	 * @param failures translates failures of the store
	 */
	public StoreCalls(OpenState state, Duration timeout, Translation failures) {
		this.state = state;
		this.timeout = timeout;
		this.failures = failures;
	}

	/**
	 * Make a call.
	 * @param <T> type of the result
	 * @param action name of the action, such as {@code acquire}, for messages
	 * @param key the lock's key, or {@code null} if no single lock is affected
	 * @param call the requests of the call
	 * @return the result
	 * @throws LockEngineException if the store failed or the engine is closed
	 */
	public <T extends @Nullable Object> T run(String action, @Nullable LockKey key, Call<T> call) {
		this.state.check(key);
		try {
			return call.run(deadline());
		}
		catch (RuntimeException ex) {
			throw ex;
		}
		catch (Exception ex) {
			throw this.state.reason(key, this.failures.translate(action, key, ex));
		}
	}

	/**
	 * Return the deadline of a call that begins now.
	 * @return the deadline, as a reading of {@link System#nanoTime()}
	 */
	public long deadline() {
		return Deadlines.after(this.timeout);
	}

	/**
	 * Requests of one call.
	 *
	 * @param <T> type of the result
	 */
	@FunctionalInterface
	public interface Call<T extends @Nullable Object> {

		/**
		 * Send the requests.
		 * @param deadline time by which the last response must have arrived
		 * @return the result
		 * @throws Exception if the store failed or did not respond in time
		 */
		T run(long deadline) throws Exception;

	}

	/**
	 * Translation of the store's failures into those of the service.
	 */
	@FunctionalInterface
	public interface Translation {

		/**
		 * Translate a failure.
		 * @param action name of the failed action
		 * @param key the lock's key, or {@code null} if no single lock is affected
		 * @param failure the failure
		 * @return the exception for the service
		 */
		LockEngineException translate(String action, @Nullable LockKey key, Exception failure);

	}

}
