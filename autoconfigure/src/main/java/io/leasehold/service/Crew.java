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
 * A thread pool that accepts every task, so that whoever hands one over need not undo
 * anything. Its first thread is started in advance and ends with the pool. More are
 * started while all are busy, up to a limit and while the system has any. A task without
 * a thread waits in an unbounded queue. What a task throws is logged.
 * <p>
 * {@link #check()}, called once a second, starts a thread if there is none, and further
 * ones while all threads are blocked.
 */
class Crew implements Executor {

	private static final Log logger = LogFactory.getLog(Crew.class);

	private final String name;

	private final int size;

	private final int mostSize;

	private final boolean runsWhenClosed;

	private final Tasks tasks = new Tasks();

	private final ThreadPoolExecutor pool;

	private volatile boolean started;

	/** Number of ended tasks at the last check. */
	private long ended;

	/** Whether tasks waited at the last check. */
	private boolean waiting;

	/**
	 * Create a pool without a thread.
	 * @param name name of its threads
	 * @param size number of threads while tasks end
	 * @param mostSize number of threads if all others are blocked
	 * @param runsWhenClosed whether a task that is handed over after the end runs at
	 * once, in the thread that hands it over, and is not dropped
	 * @param threads creates the threads
	 */
	Crew(String name, int size, int mostSize, boolean runsWhenClosed, ThreadFactory threads) {
		this.name = name;
		this.size = size;
		this.mostSize = mostSize;
		this.runsWhenClosed = runsWhenClosed;
		this.pool = new ThreadPoolExecutor(1, size, 10, TimeUnit.SECONDS, this.tasks, threads,
				(task, pool) -> enqueue(task));
	}

	/**
	 * Start the first thread, unless it was started before.
	 * @throws OutOfMemoryError if the system has no thread left; may be called again
	 */
	void start() {
		if (!this.started) {
			this.pool.prestartCoreThread();
			this.started = true;
		}
	}

	/** Hand a task over. Never fails, and never blocks. */
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

	/** Give a task to a thread that is idle or new, or leave it to the next idle one. */
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
	 * Start a thread if there is none for tasks that wait, and further ones if no task
	 * has ended between two checks.
	 * @return whether all threads are blocked, and no more may be started
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

	/** How many tasks wait for a thread. */
	int waiting() {
		return this.tasks.size();
	}

	/** Accept no more tasks; the threads end with those that wait. */
	void close() {
		this.pool.shutdown();
	}

	/** Offers a task to idle threads only, so that the pool starts another one first. */
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
