package io.leasehold.service;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Thread pool that accepts every task, so that a submission never has to be undone. Its
 * first thread starts in advance and ends with the pool. Further threads start while all
 * are busy, up to a limit and as the system permits. A task without a thread waits in an
 * unbounded queue. Exceptions of tasks are logged.
 * <p>
 * {@link #check()}, called once a second, starts a thread if there is none, and further
 * ones while all threads are blocked.
 */
class WorkerPool implements Executor {

	private static final Log logger = LogFactory.getLog(WorkerPool.class);

	private final String name;

	private final int size;

	private final int mostSize;

	private final boolean runsWhenClosed;

	private final Tasks tasks = new Tasks();

	private final ThreadPoolExecutor pool;

	private volatile boolean started;

	/** Number of completed tasks at the last check. */
	private long ended;

	/** Whether tasks waited at the last check. */
	private boolean waiting;

	/**
	 * Create a pool without threads.
	 * @param name name of its threads
	 * @param size maximum number of threads while tasks complete
	 * @param mostSize maximum number of threads while all others are blocked
	 * @param runsWhenClosed whether a task submitted after {@link #close()} runs in the
	 * submitting thread; otherwise it is dropped
	 * @param threads creates the threads
	 */
	WorkerPool(String name, int size, int mostSize, boolean runsWhenClosed, ThreadFactory threads) {
		this.name = name;
		this.size = size;
		this.mostSize = mostSize;
		this.runsWhenClosed = runsWhenClosed;
		this.pool = new ThreadPoolExecutor(1, size, 10, TimeUnit.SECONDS, this.tasks, threads,
				(task, pool) -> enqueue(task));
	}

	/**
	 * Start the first thread, unless it was started before.
	 * @throws OutOfMemoryError if the system has no thread left; the call may be repeated
	 */
	void start() {
		if (!this.started) {
			this.pool.prestartCoreThread();
			this.started = true;
		}
	}

	/** Submit a task. Never fails, and never blocks. */
	@Override
	public void execute(Runnable task) {
		Runnable safe = () -> run(task);
		try {
			handOver(this.pool, safe);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			enqueue(safe);
		}
	}

	/** Submit a task to an idle or new thread, or let it wait for the next idle one. */
	void handOver(ThreadPoolExecutor pool, Runnable task) {
		pool.execute(task);
	}

	private void enqueue(Runnable task) {
		this.tasks.enqueue(task);
		if (this.pool.isShutdown() && this.tasks.remove(task) && this.runsWhenClosed) {
			task.run();
		}
	}

	private void run(Runnable task) {
		try {
			task.run();
		}
		catch (Throwable ex) {
			logger.warn("A task of thread '%s' failed".formatted(Thread.currentThread().getName()), ex);
		}
	}

	/**
	 * Start a thread if tasks wait and there is none, and further ones if no task has
	 * completed between two checks.
	 * @return whether all threads are blocked, and the maximum is reached
	 */
	boolean check() {
		long nowEnded = this.pool.getCompletedTaskCount();
		boolean nowWaiting = !this.tasks.isEmpty();
		boolean blocked = nowWaiting && this.waiting && nowEnded == this.ended;
		this.ended = nowEnded;
		this.waiting = nowWaiting;
		if (blocked || nowWaiting && this.pool.getPoolSize() == 0) {
			addThreads();
		}
		else if (!nowWaiting) {
			this.pool.setMaximumPoolSize(this.size);
		}
		return blocked && this.pool.getPoolSize() == this.mostSize;
	}

	private void addThreads() {
		int present = this.pool.getPoolSize();
		int wanted = Math.min(this.mostSize, present + this.size);
		this.pool.setMaximumPoolSize(Math.max(this.size, wanted));
		try {
			for (int i = present; i < wanted && !this.tasks.isEmpty(); i++) {
				this.pool.execute(() -> {
				});
			}
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			logger.debug("No thread '%s' could be started yet".formatted(this.name), ex);
		}
	}

	int waiting() {
		return this.tasks.size();
	}

	/** Close the pool. Its threads end after the waiting tasks. */
	void close() {
		this.pool.shutdown();
	}

	/** Queue that offers tasks to idle threads only, so that the pool adds threads. */
	@SuppressWarnings("serial")
	private static final class Tasks extends LinkedTransferQueue<Runnable> {

		@Override
		public boolean offer(Runnable task) {
			return tryTransfer(task);
		}

		void enqueue(Runnable task) {
			super.offer(task);
		}

	}

}
