package io.leasehold.service;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * An engine's threads as a checker of interleavings needs them: a thread for each task,
 * and timers that go off on command.
 */
final class ManualThreads extends EngineThreads {

	private final Deque<Thread> started = new ArrayDeque<>();

	private final Deque<FutureTask<?>> timers = new ArrayDeque<>();

	private final Executor each = this::startThread;

	ManualThreads() {
		super("manual");
	}

	@Override
	void start() {
		// each task has its thread
	}

	@Override
	boolean haveStarted() {
		return true;
	}

	@Override
	Executor callers() {
		return this.each;
	}

	@Override
	Executor workers() {
		return this.each;
	}

	@Override
	public Executor renewals() {
		return this.each;
	}

	@Override
	Executor releases() {
		return this.each;
	}

	@Override
	Executor losses() {
		return this.each;
	}

	@Override
	public Future<?> schedule(Runnable task, long nanos) {
		FutureTask<?> timer = new FutureTask<>(task, null);
		synchronized (this.timers) {
			this.timers.addLast(timer);
		}
		return timer;
	}

	/** Let the timer go off that was set first, if there is one. */
	void fireFirst() {
		fire(true);
	}

	/** Let the timer go off that was set last, if there is one. */
	void fireLast() {
		fire(false);
	}

	private void fire(boolean first) {
		FutureTask<?> timer;
		synchronized (this.timers) {
			timer = first ? this.timers.pollFirst() : this.timers.pollLast();
		}
		if (timer != null) {
			timer.run();
		}
	}

	/** Wait for the end of all threads. */
	void join() throws InterruptedException {
		for (Thread next = poll(); next != null; next = poll()) {
			next.join();
		}
	}

	private void startThread(Runnable task) {
		Thread thread = new Thread(task);
		thread.start();
		synchronized (this.started) {
			this.started.add(thread);
		}
	}

	private Thread poll() {
		synchronized (this.started) {
			return this.started.poll();
		}
	}

}
