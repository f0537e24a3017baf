package io.leasehold.service;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Thread pool of a fixed size with an unbounded queue. All its threads start in advance
 * and end with the pool. Exceptions of tasks are logged, so that no thread has to be
 * replaced.
 */
final class WorkerPool implements Executor {

	private static final Log logger = LogFactory.getLog(WorkerPool.class);

	/** Drops tasks that are submitted after the end. */
	static final RejectedExecutionHandler DROP = new ThreadPoolExecutor.DiscardPolicy();

	/** Runs tasks that are submitted after the end in the submitting thread. */
	static final RejectedExecutionHandler RUN = (task, pool) -> task.run();

	private final ThreadPoolExecutor pool;

	WorkerPool(int size, ThreadFactory threads, RejectedExecutionHandler whenClosed) {
		this.pool = new ThreadPoolExecutor(size, size, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads,
				whenClosed);
	}

	/**
	 * Start the threads that were not started before.
	 * @throws OutOfMemoryError if the system has no thread left; the call may be repeated
	 */
	void start() {
		this.pool.prestartAllCoreThreads();
	}

	@Override
	public void execute(Runnable task) {
		this.pool.execute(logged(task));
	}

	/** Return a task that logs the exceptions of another one. */
	static Runnable logged(Runnable task) {
		return () -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				logger.warn("A task of thread '%s' failed".formatted(Thread.currentThread().getName()), ex);
			}
		};
	}

	/** Close the pool. Its threads end after the waiting tasks. */
	void close() {
		this.pool.shutdown();
	}

}
