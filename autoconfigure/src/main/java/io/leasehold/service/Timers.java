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
 * Single thread that runs tasks when they are due. It starts in advance and ends with the
 * engine's locks. Scheduling never fails: the heartbeat, a task that runs once a second,
 * reschedules tasks that could not be scheduled.
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
	 * @throws OutOfMemoryError if the system has no thread left; the call may be repeated
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

	/** Schedule a task that does not block. Never fails. */
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

	/** Task that could not be scheduled. If cancelled, it does nothing when it runs. */
	private static final class Unplanned extends FutureTask<Void> {

		private final long due;

		@SuppressWarnings("NullAway") // Result of a task without a value
		Unplanned(Runnable task, long due) {
			super(task, null);
			this.due = due;
		}

	}

}
