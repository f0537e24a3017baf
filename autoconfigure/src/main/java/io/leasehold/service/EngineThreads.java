package io.leasehold.service;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.event.EventQueue;
import io.leasehold.service.renewal.RenewalThreads;

/**
 * The threads of one engine's locks: few, whatever the number of locks, and apart from
 * each other, so that a slow request delays no timer, a blocking listener no renewal, and
 * code of callers neither.
 * <p>
 * The first thread of each kind is started before the engine's first lock is acquired,
 * and ends with the service. From then on a task is only put into a queue, which does not
 * fail when the system has no thread left: nothing has to be undone.
 */
class EngineThreads implements RenewalThreads, AutoCloseable {

	/** Requests at a time on behalf of callers that wait, and releases. */
	private static final int REQUESTS = 8;

	/** Threads for code of callers, while that ends. */
	private static final int CALLERS = 16;

	/** Threads for code of callers, while that blocks. */
	private static final int MOST_CALLERS = 256;

	private static final int MOST_RENEWALS = 4;

	/** Events of renewals that may wait for listeners. */
	private static final int RENEWED_EVENTS = 10_000;

	private final Timers timers;

	private final Crew workers;

	private final Crew releases;

	private final Crew renewals;

	private final Crew callers;

	private final Crew losses;

	private final EventQueue events;

	private volatile boolean started;

	private volatile boolean closed;

	/** Whether code of callers blocks so many threads that other code has to wait. */
	private volatile boolean crowded;

	EngineThreads(String engine) {
		this(engine, new Parts());
	}

	EngineThreads(String engine, Parts parts) {
		String name = "leasehold-" + engine;
		this.timers = parts.timers(name + "-timer");
		this.workers = parts.crew(name + "-worker", REQUESTS, REQUESTS, false);
		this.releases = parts.crew(name + "-release", REQUESTS, REQUESTS, true);
		this.renewals = parts.crew(name + "-renewal", 1, MOST_RENEWALS, false);
		this.callers = parts.crew(name + "-caller", CALLERS, MOST_CALLERS, true);
		this.losses = parts.crew(name + "-loss", CALLERS, MOST_CALLERS, true);
		this.events = new EventQueue(name + "-event", RENEWED_EVENTS, parts.threads(name + "-event"));
	}

	/**
	 * Start the first thread of each kind, unless they were started before.
	 * @param selfCheck run once a second from then on
	 * @throws OutOfMemoryError if the system has too few threads left; may be called
	 * again
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
	 * Completions of futures, which run code of callers. It may block: others are then
	 * served by further threads, and have to wait once those are used up.
	 */
	Executor callers() {
		return this.callers;
	}

	/** Actions of holders that lost their lock, which may block as completions may. */
	Executor losses() {
		return this.losses;
	}

	/** Whether code of callers blocks so many threads that other code has to wait. */
	boolean isCrowded() {
		return this.crowded;
	}

	/** Requests on behalf of callers that wait. */
	Executor workers() {
		return this.workers;
	}

	/** Releases that no caller's thread sends. */
	Executor releases() {
		return this.releases;
	}

	@Override
	public Executor renewals() {
		return this.renewals;
	}

	/** Notifications of what happens outside any caller's thread. */
	EventQueue events() {
		return this.events;
	}

	@Override
	public Future<?> schedule(Runnable task, long nanos) {
		return this.timers.schedule(task, Math.max(0, nanos));
	}

	/** Hand something over after a while. */
	Future<?> schedule(Runnable task, Duration delay, Executor executor) {
		return schedule(() -> executor.execute(task), delay.toNanos());
	}

	/** Whether tasks that are handed over now run in the thread that does so. */
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

	/** Creates what an engine's threads consist of. */
	static class Parts {

		Timers timers(String name) {
			return new Timers(threads(name));
		}

		Crew crew(String name, int size, int mostSize, boolean runsWhenClosed) {
			return new Crew(name, size, mostSize, runsWhenClosed, threads(name));
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
