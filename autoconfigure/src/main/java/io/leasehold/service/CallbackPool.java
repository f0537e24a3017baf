package io.leasehold.service;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Thread pool for user code, which may block. The pool grows while all its threads are
 * blocked, up to a limit, because their tasks may wait for tasks in the queue. One thread
 * starts in advance. If no other thread can start, it runs all tasks.
 */
final class CallbackPool implements Executor {

	private static final Log logger = LogFactory.getLog(CallbackPool.class);

	/** Number of threads for user code that does not block. */
	private static final int SIZE = 16;

	private static final int MOST = 256;

	private final ThreadPoolExecutor pool;

	/** Number of completed tasks at the last check. */
	private long completed;

	/** Whether tasks waited at the last check. */
	private boolean waited;

	CallbackPool(ThreadFactory threads) {
		this.pool = new ThreadPoolExecutor(SIZE, MOST, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads,
				WorkerPool.RUN);
	}

	/**
	 * Start the first thread, unless it was started before.
	 * @throws OutOfMemoryError if the system has no thread left; the call may be repeated
	 */
	void start() {
		if (this.pool.getPoolSize() == 0) {
			this.pool.prestartCoreThread();
		}
	}

	@Override
	public void execute(Runnable task) {
		Runnable logged = WorkerPool.logged(task);
		try {
			this.pool.execute(logged);
		}
		catch (OutOfMemoryError ex) {
			this.pool.getQueue().add(logged);
		}
	}

	/**
	 * Add threads if tasks wait and none has completed since the last check, and remove
	 * idle ones if none waits. Call it once a second.
	 * @return whether all threads are blocked, and the maximum is reached
	 */
	boolean check() {
		long nowCompleted = this.pool.getCompletedTaskCount();
		boolean nowWaits = !this.pool.getQueue().isEmpty();
		boolean blocked = nowWaits && this.waited && nowCompleted == this.completed;
		this.completed = nowCompleted;
		this.waited = nowWaits;
		if (blocked) {
			grow();
		}
		else if (!nowWaits) {
			this.pool.setCorePoolSize(SIZE);
		}
		return blocked && this.pool.getPoolSize() == MOST;
	}

	private void grow() {
		int present = this.pool.getPoolSize();
		try {
			this.pool.setCorePoolSize(Math.min(MOST, present + SIZE));
			while (!this.pool.getQueue().isEmpty() && this.pool.prestartCoreThread()) {
				logger.trace("Another thread for code of callers was started");
			}
		}
		catch (OutOfMemoryError ex) {
			logger.debug("No thread for code of callers could be started yet", ex);
			// The next check tries again
			this.pool.setCorePoolSize(Math.max(SIZE, present));
		}
	}

	/** Close the pool. Its threads end after the waiting tasks. */
	void close() {
		this.pool.shutdown();
	}

}
