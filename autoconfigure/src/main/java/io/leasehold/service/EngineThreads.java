package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.event.DroppedEvents;

/**
 * The threads of one engine's coordinator: few, whatever the number of locks, and apart
 * from each other, so that a slow store call delays no timer, a blocking listener no
 * renewal, and a renewal no waiting claim.
 */
class EngineThreads implements AutoCloseable {

	private static final int WORKERS = 8;

	private static final int NOTICES = 10_000;

	private final ScheduledThreadPoolExecutor timers;

	private final ThreadPoolExecutor workers;

	private final ThreadPoolExecutor callers;

	private final ThreadPoolExecutor renewals;

	private final ThreadPoolExecutor notices;

	EngineThreads(String engine) {
		String name = "leasehold-" + engine;
		this.timers = new ScheduledThreadPoolExecutor(1, factory(name + "-timer"), ignoredAfterClose());
		this.timers.setRemoveOnCancelPolicy(true);
		this.workers = pool(name + "-worker", WORKERS, Integer.MAX_VALUE, ignoredAfterClose());
		this.callers = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(),
				factory(name + "-caller"), (task, pool) -> task.run());
		this.renewals = pool(name + "-renewal", 1, Integer.MAX_VALUE, ignoredAfterClose());
		this.notices = pool(name + "-event", 1, NOTICES, new DroppedEvents(name + "-event"));
	}

	/**
	 * Code of callers that went on, and of holders that lost their lock, which may block
	 * as it likes: a thread for each. Once closed it runs where it comes from: somebody
	 * may wait for it, but no store is asked any more.
	 */
	ExecutorService callers() {
		return this.callers;
	}

	/** Store calls on behalf of callers that wait. */
	ExecutorService workers() {
		return this.workers;
	}

	/** Renewals, one batch at a time. */
	ExecutorService renewals() {
		return this.renewals;
	}

	/** Listeners of what happens outside any caller's thread. */
	ExecutorService notices() {
		return this.notices;
	}

	/** Run something that does not block after a while. */
	Future<?> schedule(Runnable task, long nanos) {
		return this.timers.schedule(task, Math.max(0, nanos), TimeUnit.NANOSECONDS);
	}

	/** Run a store call after a while. */
	Future<?> scheduleWork(Runnable task, Duration delay) {
		return schedule(() -> this.workers.execute(task), delay.toNanos());
	}

	@Override
	public void close() {
		this.timers.shutdownNow();
		this.workers.shutdown();
		this.callers.shutdown();
		this.renewals.shutdown();
		this.notices.shutdown();
	}

	private static ThreadPoolExecutor pool(String name, int size, int capacity, RejectedExecutionHandler rejected) {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(size, size, 10, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(capacity), factory(name), rejected);
		pool.allowCoreThreadTimeOut(true);
		return pool;
	}

	private static ThreadFactory factory(String name) {
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	private static RejectedExecutionHandler ignoredAfterClose() {
		return (task, pool) -> {
			if (!pool.isShutdown()) {
				throw new RejectedExecutionException("Task %s rejected by %s".formatted(task, pool));
			}
		};
	}

}
