package io.leasehold.interceptor;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import reactor.core.Scannable;
import reactor.core.scheduler.Schedulers;

/**
 * Threads that currently run code of one reactive body: in a call of the body's own
 * publisher, or in a task of a Reactor scheduler that such code has scheduled. Other
 * threads of a body are not observed. Thread-safe.
 */
final class Segments {

	private static final ThreadLocal<@Nullable Segments> CURRENT = new ThreadLocal<>();

	/** The running threads, one entry per part. */
	private final List<Thread> running = new ArrayList<>(2);

	private long begun;

	private @Nullable Runnable whenEnded;

	/** Run a part of the body in this thread. */
	void run(Runnable segment) {
		Segments outer = CURRENT.get();
		begin();
		CURRENT.set(this);
		try {
			segment.run();
		}
		finally {
			restore(outer);
			end();
		}
	}

	/** Exclude code that the body calls, until the body is {@link #restore restored}. */
	static @Nullable Segments suspend() {
		Segments current = CURRENT.get();
		if (current != null) {
			CURRENT.remove();
		}
		return current;
	}

	static void restore(@Nullable Segments suspended) {
		if (suspended != null) {
			CURRENT.set(suspended);
		}
		else {
			CURRENT.remove();
		}
	}

	/** Ensure that the tasks of Reactor's schedulers are observed. */
	static void seeTasks() {
		Segments probe = new Segments();
		probe.run(() -> {
			Runnable task = () -> {
			};
			if (Schedulers.onSchedule(task) == task) {
				Schedulers.onScheduleHook(Segments.class.getName(), Segments::followed);
			}
		});
	}

	private static Runnable followed(Runnable task) {
		Segments current = CURRENT.get();
		return (current != null) ? () -> current.run(() -> {
			if (!isCancelledStart(task)) {
				task.run();
			}
		}) : task;
	}

	/** Return whether a start was cancelled while its thread was about to begin. */
	private static boolean isCancelledStart(Runnable task) {
		return task instanceof Scannable start && task.getClass().getName().contains("SubscribeOn")
				&& Boolean.TRUE.equals(start.scan(Scannable.Attr.CANCELLED));
	}

	/** Return the number of parts that have begun. */
	synchronized long begun() {
		return this.begun;
	}

	/**
	 * Return whether a part runs that goes on after a signal in this thread: in another
	 * thread, or in this one if it is a part that calls, not one that was
	 * {@linkplain #suspend left}.
	 */
	synchronized boolean runElsewhere() {
		Thread here = Thread.currentThread();
		return CURRENT.get() == this || this.running.stream().anyMatch((thread) -> thread != here);
	}

	/** Run an action once, when no thread runs a part. */
	void whenEnded(Runnable action) {
		synchronized (this) {
			if (!this.running.isEmpty()) {
				this.whenEnded = action;
				return;
			}
		}
		action.run();
	}

	private synchronized void begin() {
		this.begun++;
		this.running.add(Thread.currentThread());
	}

	private void end() {
		Runnable due = null;
		synchronized (this) {
			this.running.remove(Thread.currentThread());
			if (this.running.isEmpty()) {
				due = this.whenEnded;
				this.whenEnded = null;
			}
		}
		if (due != null) {
			due.run();
		}
	}

}
