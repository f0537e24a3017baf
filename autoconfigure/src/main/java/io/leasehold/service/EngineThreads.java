package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

import io.leasehold.event.EventQueue;
import io.leasehold.service.renewal.RenewalThreads;

/**
 * Threads of one engine's locks, few for any number of locks. Each kind is separate: a
 * slow request does not delay timers, and neither a blocking listener nor user code
 * delays renewals.
 * <p>
 * The first thread of each kind starts before the engine's first acquisition, and ends
 * with the service. From then on a submission only adds a task to a queue. It succeeds
 * even if the system has no thread left, so that nothing has to be undone.
 */
class EngineThreads implements RenewalThreads, AutoCloseable {

	/** Maximum number of concurrent requests for waiting callers, and of releases. */
	private static final int REQUESTS = 8;

	/** Number of threads for user code that does not block. */
	private static final int CALLERS = 16;

	/** Maximum number of threads while user code blocks. */
	private static final int MOST_CALLERS = 256;

	private static final int MOST_RENEWALS = 4;

	/** Maximum number of renewal events that wait for listeners. */
	private static final int RENEWED_EVENTS = 10_000;

	private static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();

	private final Timers timers;

	private final WorkerPool workers;

	private final WorkerPool releases;

	private final WorkerPool renewals;

	private final WorkerPool callers;

	private final WorkerPool losses;

	private final EventQueue events;

	private volatile boolean started;

	private volatile boolean closed;

	/** Whether user code blocks all threads available to it. */
	private volatile boolean crowded;

	EngineThreads(String engine) {
		this(engine, new Parts());
	}

	EngineThreads(String engine, Parts parts) {
		String name = "leasehold-" + engine;
		this.timers = parts.timers(name + "-timer");
		this.workers = parts.workers(name + "-worker", REQUESTS, REQUESTS, false);
		this.releases = parts.workers(name + "-release", REQUESTS, REQUESTS, true);
		this.renewals = parts.workers(name + "-renewal", 1, MOST_RENEWALS, false);
		this.callers = parts.workers(name + "-caller", CALLERS, MOST_CALLERS, true);
		this.losses = parts.workers(name + "-loss", CALLERS, MOST_CALLERS, true);
		this.events = new EventQueue(name + "-event", RENEWED_EVENTS, parts.threads(name + "-event"));
	}

	/**
	 * Start the first thread of each kind, unless they were started before.
	 * @param selfCheck run once a second from then on
	 * @throws OutOfMemoryError if the system has too few threads left; the call may be
	 * repeated
	 */
	void start(Runnable selfCheck) {
		if (this.started) {
			return;
		}
		this.workers.start();
		this.releases.start();
		this.renewals.start();
		this.callers.start();
		this.losses.start();
		this.events.start();
		this.timers.start(() -> {
			check();
			selfCheck.run();
		});
		this.started = true;
	}

	private void check() {
		this.workers.check();
		this.releases.check();
		this.renewals.check();
		boolean blocked = this.callers.check();
		this.crowded = this.losses.check() | blocked;
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

	@Override
	public Executor renewals() {
		return this.renewals;
	}

	/** Return the queue of notifications about events outside the threads of callers. */
	EventQueue events() {
		return this.events;
	}

	@Override
	public Future<?> schedule(Runnable task, long nanos) {
		return this.timers.schedule(task, Math.max(0, nanos));
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
		this.timers.close();
		this.workers.close();
		this.callers.close();
		this.losses.close();
		this.releases.close();
		this.renewals.close();
		this.events.close();
	}

	/** Factory of the components, replaceable in tests. */
	static class Parts {

		Timers timers(String name) {
			return new Timers(threads(name));
		}

		WorkerPool workers(String name, int size, int mostSize, boolean runsWhenClosed) {
			return new WorkerPool(name, size, mostSize, runsWhenClosed, threads(name));
		}

		ThreadFactory threads(String name) {
			AtomicInteger count = new AtomicInteger();
			return (task) -> {
				Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
				thread.setDaemon(true);
				return thread;
			};
		}

	}

}
