package io.leasehold.service;

import java.util.concurrent.Executor;

import io.leasehold.HeldLock;

/**
 * Decides when a release takes place that a holder asks for.
 */
@FunctionalInterface
public interface ReleaseTiming {

	/** Every release takes place at once. */
	ReleaseTiming IMMEDIATE = () -> Runnable::run;

	/**
	 * Called in the thread that acquires a lock.
	 * @return runs the release of that lock: at once, or when whatever the thread is in
	 * the middle of has ended
	 */
	Releases releases();

	/**
	 * Runs the release of a lock when its time has come. Thread-safe.
	 */
	@FunctionalInterface
	interface Releases extends Executor {

		/**
		 * Called once the lock was had, in the thread that gets it.
		 * @param lock the lock
		 */
		default void held(HeldLock lock) {
		}

		/**
		 * Called when the lock turns out to be acquired in vain: nothing ran under it, so
		 * its release, which follows at once, is not passed to this object.
		 */
		default void discarded() {
		}

		/**
		 * Called when the lock was acquired anew, not by re-entry. Any thread.
		 * @param name name of the lock
		 */
		default void acquired(String name) {
		}

	}

}
