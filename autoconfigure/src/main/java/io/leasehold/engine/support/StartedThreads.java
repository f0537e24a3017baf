package io.leasehold.engine.support;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Threads of an engine that start in advance, so that no request depends on whether the
 * system can start one.
 */
public final class StartedThreads {

	private StartedThreads() {
	}

	/**
	 * Start threads. After a shutdown, they drop delayed and later tasks.
	 * @param prefix first part of their names, such as {@code leasehold-redis-connect-}
	 * @param number number of threads
	 * @return the executor of their tasks
	 */
	public static ScheduledExecutorService of(String prefix, int number) {
		ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(number, new DaemonThreads(prefix),
				new ThreadPoolExecutor.DiscardPolicy());
		threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
		threads.prestartAllCoreThreads();
		return threads;
	}

}
