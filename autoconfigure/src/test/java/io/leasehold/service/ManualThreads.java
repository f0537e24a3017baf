package io.leasehold.service;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * An engine's threads as a checker of interleavings needs them: a thread for each task,
 * and timers that go off when they are told to.
 */
final class ManualThreads extends EngineThreads {

	private final Deque<Thread> started = new ArrayDeque<>();

	private final Deque<FutureTask<?>> timers = new ArrayDeque<>();

	private final ExecutorService each = new ThreadForEach();

	ManualThreads() {
		super("manual");
	}

	@Override
	ExecutorService callers() {
		return this.each;
	}

	@Override
	ExecutorService workers() {
		return this.each;
	}

	@Override
	ExecutorService renewals() {
		return this.each;
	}

	@Override
	ExecutorService notices() {
		return this.each;
	}

	@Override
	Future<?> schedule(Runnable task, long nanos) {
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

	private Thread poll() {
		synchronized (this.started) {
			return this.started.poll();
		}
	}

	private final class ThreadForEach extends AbstractExecutorService {

		@Override
		public void execute(Runnable task) {
			Thread thread = new Thread(task);
			thread.start();
			synchronized (ManualThreads.this.started) {
				ManualThreads.this.started.add(thread);
			}
		}

		@Override
		public void shutdown() {
			// there is nothing to stop
		}

		@Override
		public List<Runnable> shutdownNow() {
			return List.of();
		}

		@Override
		public boolean isShutdown() {
			return false;
		}

		@Override
		public boolean isTerminated() {
			return false;
		}

		@Override
		public boolean awaitTermination(long timeout, TimeUnit unit) {
			return false;
		}

	}

}
