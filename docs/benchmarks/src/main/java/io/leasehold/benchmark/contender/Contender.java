package io.leasehold.benchmark.contender;

/**
 * A way to lock: a library, or the bare calls that are the floor below all of them.
 * Thread-safe.
 */
public interface Contender extends AutoCloseable {

	/**
	 * Wait for a lock, as long as it takes.
	 * @param key the key
	 * @return the lock, held by the calling thread
	 * @throws Exception if the store failed
	 */
	Held acquire(String key) throws Exception;

	@Override
	default void close() {
	}

	/** A lock that is held. */
	@FunctionalInterface
	interface Held {

		/**
		 * Release the lock, in the thread that acquired it.
		 * @throws Exception if the store failed, or the lock was lost
		 */
		void release() throws Exception;

	}

}
