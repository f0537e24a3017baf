package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;

import io.leasehold.engine.support.DaemonThreads;
import io.leasehold.event.EventQueue;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Threads of one engine's locks, few for any number of locks. Each kind is separate: a
 * slow request does not delay timers, and neither a blocking listener nor user code
 * delays renewals.
 * <p>
 * All threads start before the engine's first request and end with the service, except
 * further threads for user code. From then on a submission only adds a task to a queue.
 */
class EngineThreads implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(EngineThreads.class);

	static final String CROWDED = "code of callers blocks all threads available to it";

	/** Number of concurrent requests for waiting callers, and of releases. */
	private static final int REQUESTS = 8;

	private static final int RENEWALS = 4;

	/** Maximum number of renewal events that wait for listeners. */
	private static final int RENEWED_EVENTS = 10_000;

	private static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

	private final String engine;

	private final ScheduledThreadPoolExecutor timers;

	private final WorkerPool workers;

	private final WorkerPool releases;

	private final WorkerPool renewals;

	private final CallbackPool callers;

	private final CallbackPool losses;

	private final EventQueue events;

	private volatile boolean started;

	private volatile boolean closed;

	/** Whether user code blocks all threads available to it. */
	private volatile boolean crowded;

	EngineThreads(String engine) {
		this(engine, EngineThreads::daemons);
	}

	/**
	 * Create the pools, without threads.
	 * @param threads returns the factory of threads with a name
	 */
	EngineThreads(String engine, Function<String, ThreadFactory> threads) {
		String name = "leasehold-" + engine;
		this.engine = engine;
		this.timers = new ScheduledThreadPoolExecutor(1, threads.apply(name + "-timer"),
				new ThreadPoolExecutor.DiscardPolicy());
		this.timers.setRemoveOnCancelPolicy(true);
		this.workers = new WorkerPool(REQUESTS, threads.apply(name + "-worker"), WorkerPool.DROP);
		this.releases = new WorkerPool(REQUESTS, threads.apply(name + "-release"), WorkerPool.RUN);
		this.renewals = new WorkerPool(RENEWALS, threads.apply(name + "-renewal"), WorkerPool.DROP);
		this.callers = new CallbackPool(threads.apply(name + "-caller"));
		this.losses = new CallbackPool(threads.apply(name + "-loss"));
		this.events = new EventQueue(name + "-event", RENEWED_EVENTS, threads.apply(name + "-event"));
	}

	static ThreadFactory daemons(String name) {
		return new DaemonThreads(name + "-");
	}

	/**
	 * Start the threads, unless they were started before.
	 * @throws OutOfMemoryError if the system has too few threads left; the call may be
	 * repeated
	 */
	void start() {
		if (!this.started) {
			startAll();
		}
	}

	boolean haveStarted() {
		return this.started;
	}

	private synchronized void startAll() {
		if (this.started) {
			return;
		}
		this.workers.start();
		this.releases.start();
		this.renewals.start();
		this.callers.start();
		this.losses.start();
		this.events.start();
		this.timers.prestartAllCoreThreads();
		this.timers.scheduleWithFixedDelay(WorkerPool.logged(this::check), 1, 1, TimeUnit.SECONDS);
		this.started = true;
	}

	private void check() {
		boolean before = this.crowded;
		boolean blocked = this.callers.check();
		this.crowded = this.losses.check() | blocked;
		if (this.crowded && !before) {
			logger.warn(
					"%s: completions of futures and onLost actions wait (engine: %s)".formatted(CROWDED, this.engine));
		}
	}

	/**
	 * Return the executor of future completions, which run user code. If that blocks,
	 * further threads start up to a maximum. Then other completions wait.
	 */
	Executor callers() {
		return this.callers;
	}

	/** Return the executor of {@code onLost} actions, which may block, too. */
	Executor losses() {
		return this.losses;
	}

	boolean isCrowded() {
		return this.crowded;
	}

	/** Return the executor of requests for waiting callers. */
	Executor workers() {
		return this.workers;
	}

	/** Return the executor of releases outside the threads of callers. */
	Executor releases() {
		return this.releases;
	}

	/** Return the executor of renewals. */
	Executor renewals() {
		return this.renewals;
	}

	/** Return the queue of notifications about events outside the threads of callers. */
	EventQueue events() {
		return this.events;
	}

	/** Schedule a task that does not block after a delay in nanoseconds. */
	Future<?> schedule(Runnable task, long nanos) {
		return this.timers.schedule(WorkerPool.logged(task), Math.max(0, nanos), TimeUnit.NANOSECONDS);
	}

	Future<?> schedule(Runnable task, Duration delay, Executor executor) {
		return schedule(() -> executor.execute(task), delay.toNanos());
	}

	/** Return the source of random pauses. */
	RandomGenerator random() {
		return RANDOM;
	}

	/** Return whether submitted tasks now run in the submitting thread or are dropped. */
	boolean isClosed() {
		return this.closed;
	}

	@Override
	public void close() {
		this.closed = true;
		this.timers.shutdownNow();
		this.workers.close();
		this.callers.close();
		this.losses.close();
		this.releases.close();
		this.renewals.close();
		this.events.close();
	}

}
