package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

import io.leasehold.engine.ManualClock;

/**
 * An engine's threads and timers, which a test runs in its own thread, at exact readings
 * of a clock that stands still in between. Confined to the test's thread.
 */
final class SteppedThreads extends EngineThreads {

	private final ManualClock clock;

	private final Queue<Runnable> tasks = new ArrayDeque<>();

	private final PriorityQueue<Timer> timers = new PriorityQueue<>();

	private final Executor later = this::handOver;

	/** Whether tasks are lost that are handed over. */
	boolean losingTasks;

	/** Called before the next timer is set, once. */
	Runnable beforeTimer = () -> {
	};

	private int scheduled;

	SteppedThreads(String engine, ManualClock clock) {
		super(engine);
		this.clock = clock;
	}

	@Override
	void start() {
		events().start();
	}

	@Override
	boolean haveStarted() {
		return true;
	}

	@Override
	Executor callers() {
		return this.later;
	}

	@Override
	Executor losses() {
		return this.later;
	}

	@Override
	Executor workers() {
		return this.later;
	}

	@Override
	Executor releases() {
		return this.later;
	}

	@Override
	public Executor renewals() {
		return this.later;
	}

	@Override
	public Future<?> schedule(Runnable task, long nanos) {
		Runnable hook = this.beforeTimer;
		this.beforeTimer = () -> {
		};
		hook.run();
		Timer timer = new Timer(task, this.clock.nanoTime() + Math.max(0, nanos), this.scheduled++);
		this.timers.add(timer);
		return timer;
	}

	/** Run all that was handed over or is due, until nothing is left. */
	void run() {
		advance(Duration.ZERO);
	}

	/** Let time pass, and run each timer when it is due. */
	void advance(Duration by) {
		long end = this.clock.nanoTime() + by.toNanos();
		runTasks();
		for (Timer next = this.timers.peek(); next != null && next.due - end <= 0; next = this.timers.peek()) {
			this.timers.remove();
			this.clock.advance(Duration.ofNanos(Math.max(0, next.due - this.clock.nanoTime())));
			next.fire();
			runTasks();
		}
		this.clock.advance(Duration.ofNanos(Math.max(0, end - this.clock.nanoTime())));
	}

	private void handOver(Runnable task) {
		if (!this.losingTasks) {
			this.tasks.add(task);
		}
	}

	private void runTasks() {
		for (Runnable task = this.tasks.poll(); task != null; task = this.tasks.poll()) {
			task.run();
		}
	}

	private static final class Timer extends FutureTask<Void> implements Comparable<Timer> {

		private final long due;

		private final int number;

		Timer(Runnable task, long due, int number) {
			super(task, null);
			this.due = due;
			this.number = number;
		}

		void fire() {
			run();
			if (!isCancelled()) {
				try {
					get();
				}
				catch (InterruptedException | ExecutionException ex) {
					throw new AssertionError(ex);
				}
			}
		}

		@Override
		public int compareTo(Timer other) {
			return (this.due != other.due) ? Long.signum(this.due - other.due)
					: Integer.compare(this.number, other.number);
		}

	}

}
