package io.leasehold.service;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * One thread that runs tasks when they are due. Started in advance, it ends with the
 * engine's locks, and scheduling a task never fails: one that could not be planned is
 * planned again by the heartbeat, a task that runs once a second.
 */
class Timers {

	private static final Log logger = LogFactory.getLog(Timers.class);

	private final ScheduledThreadPoolExecutor thread;

	private final Queue<Unplanned> unplanned = new ConcurrentLinkedQueue<>();

	private boolean started;

	Timers(ThreadFactory threads) {
		this.thread = new ScheduledThreadPoolExecutor(1, threads, new ThreadPoolExecutor.DiscardPolicy());
		this.thread.setRemoveOnCancelPolicy(true);
	}

	/**
	 * Start the thread, unless it was started before.
	 * @param heartbeat run once a second
	 * @throws OutOfMemoryError if the system has no thread left; may be called again
	 */
	synchronized void start(Runnable heartbeat) {
		if (!this.started) {
			this.thread.prestartCoreThread();
			this.thread.scheduleWithFixedDelay(safe(() -> {
				planAgain();
				heartbeat.run();
			}), 1, 1, TimeUnit.SECONDS);
			this.started = true;
		}
	}

	/** Run something after a while that does not block. Never fails. */
	Future<?> schedule(Runnable task, long nanos) {
		Runnable safe = safe(task);
		try {
			return plan(this.thread, safe, nanos);
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			Unplanned left = new Unplanned(safe, System.nanoTime() + nanos);
			this.unplanned.add(left);
			return left;
		}
	}

	Future<?> plan(ScheduledThreadPoolExecutor thread, Runnable task, long nanos) {
		return thread.schedule(task, nanos, TimeUnit.NANOSECONDS);
	}

	private void planAgain() {
		for (int i = this.unplanned.size(); i > 0; i--) {
			Unplanned left = this.unplanned.poll();
			if (left != null) {
				planAgain(left);
			}
		}
	}

	private void planAgain(Unplanned left) {
		try {
			plan(this.thread, left, left.due - System.nanoTime());
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			this.unplanned.add(left);
		}
	}

	private static Runnable safe(Runnable task) {
		return () -> {
			try {
				task.run();
			}
			catch (Throwable ex) {
				logger.warn("A timer's task failed", ex);
			}
		};
	}

	void close() {
		this.thread.shutdownNow();
	}

	/** A task that could not be planned. Cancelled, it does nothing when it is run. */
	private static final class Unplanned extends FutureTask<Void> {

		private final long due;

		@SuppressWarnings("NullAway") // The result of a task without one
		Unplanned(Runnable task, long due) {
			super(task, null);
			this.due = due;
		}

	}

}
