package io.leasehold.service;

import java.util.concurrent.Executor;

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
	Executor releases();

}
