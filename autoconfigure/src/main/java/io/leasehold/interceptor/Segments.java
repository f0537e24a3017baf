package io.leasehold.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Threads that currently run code of one reactive body: in a call of the body's own
 * publisher, or in a task of a Reactor scheduler that such code has scheduled. Other
 * threads of a body are not observed. A body to which this code subscribes is part of it.
 * Thread-safe.
 */
final class Segments {

	private static final ThreadLocal<@Nullable Segments> CURRENT = new ThreadLocal<>();

	/** The running threads, one entry per part. */
	private final List<Thread> running = new ArrayList<>(2);

	/** The body of which this one is a part. */
	private final @Nullable Segments outer;

	private long begun;

	private volatile boolean abandoned;

	private @Nullable Runnable whenEnded;

	/**
	 * Create an object without threads.
	 * @param outer the body of which this one is a part
	 */
	Segments(@Nullable Segments outer) {
		this.outer = outer;
	}

	/**
	 * Return the body that subscribes.
	 * @param context the context of the subscription
	 */
	static @Nullable Segments subscribing(ContextView context) {
		return context.getOrDefault(Segments.class, CURRENT.get());
	}

	void run(Runnable segment) {
		Segments before = CURRENT.get();
		begin();
		CURRENT.set(this);
		try {
			segment.run();
		}
		finally {
			restore(before);
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
		Segments probe = new Segments(null);
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

	synchronized long begun() {
		return this.begun;
	}

	/**
	 * Return whether a part runs that continues after a signal in this thread: in another
	 * thread, or in this one if it is a part that calls, not one that was
	 * {@linkplain #suspend left}.
	 */
	synchronized boolean runElsewhere() {
		Thread here = Thread.currentThread();
		return isPart(CURRENT.get()) || this.running.stream().anyMatch((thread) -> thread != here);
	}

	private boolean isPart(@Nullable Segments other) {
		return other != null && (other == this || isPart(other.outer));
	}

	/** Return whether a thread runs a part. */
	synchronized boolean isRunning() {
		return !this.running.isEmpty();
	}

	/**
	 * Note for all outer bodies that this body was cancelled and that its end cannot be
	 * observed.
	 */
	void abandon() {
		for (Segments body = this.outer; body != null; body = body.outer) {
			body.abandoned = true;
		}
	}

	/** Return whether an inner body was {@linkplain #abandon abandoned}. */
	boolean hasAbandoned() {
		return this.abandoned;
	}

	/** Return an operator that runs the signals of a publisher as parts of the body. */
	<T> Function<? super Publisher<T>, ? extends Publisher<T>> signals() {
		return Operators.lift((source, subscriber) -> new Signals<>(subscriber));
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

	private void begin() {
		if (this.outer != null) {
			this.outer.begin();
		}
		synchronized (this) {
			this.begun++;
			this.running.add(Thread.currentThread());
		}
	}

	private void end() {
		try {
			endThis();
		}
		finally {
			if (this.outer != null) {
				this.outer.end();
			}
		}
	}

	private void endThis() {
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

	/** Runs each signal as a part of the body. */
	private final class Signals<T> implements CoreSubscriber<T> {

		private final CoreSubscriber<? super T> subscriber;

		Signals(CoreSubscriber<? super T> subscriber) {
			this.subscriber = subscriber;
		}

		@Override
		public Context currentContext() {
			return this.subscriber.currentContext();
		}

		@Override
		public void onSubscribe(Subscription subscription) {
			this.subscriber.onSubscribe(subscription);
		}

		@Override
		public void onNext(T value) {
			run(() -> this.subscriber.onNext(value));
		}

		@Override
		public void onError(Throwable failure) {
			run(() -> this.subscriber.onError(failure));
		}

		@Override
		public void onComplete() {
			run(this.subscriber::onComplete);
		}

	}

}
