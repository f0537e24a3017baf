package io.leasehold.service;

import java.util.concurrent.Executor;

import io.leasehold.HeldLock;

/**
 * Strategy that decides when the release of a closed lock takes place.
 */
@FunctionalInterface
public interface ReleaseTiming {

	/** Timing of releases that take place at once. */
	ReleaseTiming IMMEDIATE = () -> Runnable::run;

	/**
	 * Called in the thread that acquires a lock.
	 * @return runs the release of that lock: at once, or for example after the thread's
	 * current transaction
	 */
	Releases releases();

	/**
	 * Return whether the current thread runs in a transaction that has not ended, for
	 * whose end a {@linkplain #releases() release} waits.
	 */
	default boolean isTransactionOpen() {
		return false;
	}

	/**
	 * Return whether the current thread's transaction can end the connection that is
	 * bound to the thread. A suspended transaction of another manager may have bound it.
	 * @param resource key of the connection, such as its data source
	 */
	default boolean isTransactionOf(Object resource) {
		return true;
	}

	/**
	 * Called when the current thread's transaction must not commit, because a failed
	 * request for a lock may have undone a part of it.
	 * @param reason thrown instead of the commit
	 */
	default void refuseCommit(RuntimeException reason) {
	}

	/** Executor that runs a lock's release when it is due. Thread-safe. */
	@FunctionalInterface
	interface Releases extends Executor {

		/** Called when the lock is held, in the thread that receives it. */
		default void held(HeldLock lock) {
		}

		/**
		 * Called when the lock is closed unused. No work ran under it, so its release
		 * follows at once and is not passed to this object.
		 */
		default void discarded() {
		}

		/**
		 * Called when the lock was acquired, except by re-entry. Any thread may call it.
		 * @param name name of the lock
		 */
		default void acquired(String name) {
		}

		/**
		 * Return whether a requested release waits for the end of the transaction in
		 * which the current thread runs. Until then, the thread runs under the lock.
		 */
		default boolean waitsForCaller() {
			return false;
		}

		/**
		 * Return whether the release takes place after a transaction that the current
		 * thread has suspended. If the thread waited for the lock, it would wait for
		 * itself.
		 */
		default boolean waitsForSuspended() {
			return false;
		}

	}

}
