package io.leasehold.interceptor;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.reactive.ReactiveLocks;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * The publisher of a method under its lock, which determines when its work has ended: the
 * publisher has terminated or was cancelled, and no {@linkplain Segments thread} runs a
 * part of it. After a cancellation, only {@linkplain ActiveChain some} publishers allow
 * this conclusion. For one subscription.
 */
final class ReactiveBody extends Flux<Object> {

	/** Time for other threads to leave a body before the lock is reported as lost. */
	private static final Duration MOMENT = Duration.ofMillis(50);

	/** Time for the thread that sent the last signal to leave a body. */
	private static final Duration RETURN = Duration.ofSeconds(2);

	private final LockCall call;

	private final HeldLock held;

	private final Supplier<Publisher<Object>> method;

	/** Whether the first value ends the publisher. */
	private final boolean single;

	private final Segments segments;

	private volatile boolean terminated;

	/** Whether the publisher was cancelled and its work may continue unobserved. */
	private volatile boolean unseen;

	ReactiveBody(LockCall call, HeldLock held, boolean single, @Nullable Segments outer,
			Supplier<Publisher<Object>> method) {
		this.call = call;
		this.held = held;
		this.single = single;
		this.segments = new Segments(outer);
		this.method = method;
	}

	/** Return the body with its lock in the context. */
	Flux<Object> inContext() {
		return contextWrite((context) -> ReactiveLocks.add(context, this.held).put(Segments.class, this.segments));
	}

	@Override
	public void subscribe(CoreSubscriber<? super Object> subscriber) {
		Segments.seeTasks();
		this.segments.run(() -> this.method.get().subscribe(new Boundary(subscriber)));
	}

	/**
	 * Close the lock when the work has ended. If other threads continue the work for
	 * longer than {@link #MOMENT}, the lock is marked as lost. So it is if this thread
	 * continues after the last signal for longer than {@link #RETURN}: it may wait for
	 * the consumer of the result.
	 * @return completes when the lock is closed or lost, at once after a cancellation
	 */
	CompletableFuture<Void> finish() {
		Closing closing = new Closing();
		if (isUnseen()) {
			closing.lose();
		}
		else if (this.segments.runElsewhere()) {
			closing.loseAfter(MOMENT);
		}
		else if (this.terminated && this.segments.isRunning()) {
			closing.loseAfter(RETURN);
		}
		this.segments.whenEnded(closing);
		return this.terminated ? closing : CompletableFuture.completedFuture(null);
	}

	private boolean isUnseen() {
		return this.unseen && !this.terminated || this.segments.hasAbandoned();
	}

	/** Completes when the lock is closed or lost; run when the work has ended. */
	private final class Closing extends CompletableFuture<Void> implements Runnable {

		private volatile boolean begun;

		private @Nullable Disposable limit;

		/** Limit the time of the threads. To be called before they can run this. */
		void loseAfter(Duration time) {
			this.limit = Schedulers.parallel().schedule(this::lose, time.toMillis(), TimeUnit.MILLISECONDS);
		}

		@Override
		public void run() {
			if (isUnseen()) {
				lose();
				return;
			}
			this.begun = true;
			if (this.limit != null) {
				this.limit.dispose();
			}
			LockCall call = ReactiveBody.this.call;
			call.locks().closeAsync(ReactiveBody.this.held, call.operation().options()).whenComplete((closed, loss) -> {
				if (loss != null) {
					completeExceptionally(StageBody.unwrapped(loss));
				}
				else {
					complete(null);
				}
			});
		}

		void lose() {
			if (!this.begun) {
				ReactiveBody.this.call.locks().cancelled(ReactiveBody.this.held);
				complete(null);
			}
		}

	}

	/** Between the publisher of the method and those who use it. */
	private final class Boundary implements CoreSubscriber<Object>, Subscription {

		private final CoreSubscriber<? super Object> subscriber;

		private @Nullable Subscription upstream;

		Boundary(CoreSubscriber<? super Object> subscriber) {
			this.subscriber = subscriber;
		}

		@Override
		public Context currentContext() {
			return this.subscriber.currentContext();
		}

		@Override
		public void onSubscribe(Subscription subscription) {
			this.upstream = subscription;
			outside(() -> this.subscriber.onSubscribe(this));
		}

		@Override
		public void onNext(Object value) {
			ReactiveBody.this.terminated = ReactiveBody.this.single;
			outside(() -> this.subscriber.onNext(value));
		}

		@Override
		public void onError(Throwable failure) {
			ReactiveBody.this.terminated = true;
			outside(() -> this.subscriber.onError(failure));
		}

		@Override
		public void onComplete() {
			ReactiveBody.this.terminated = true;
			outside(this.subscriber::onComplete);
		}

		@Override
		public void request(long count) {
			Subscription subscription = this.upstream;
			if (subscription != null) {
				ReactiveBody.this.segments.run(() -> subscription.request(count));
			}
		}

		@Override
		public void cancel() {
			Subscription subscription = this.upstream;
			if (subscription == null) {
				return;
			}
			if (ReactiveBody.this.terminated) {
				subscription.cancel();
				return;
			}
			Segments segments = ReactiveBody.this.segments;
			long begun = segments.begun();
			boolean moving = segments.runElsewhere();
			ActiveChain chain = ActiveChain.of(subscription);
			// Assumed for a part that ends before the check below
			ReactiveBody.this.unseen = true;
			subscription.cancel();
			moving |= segments.begun() != begun || segments.runElsewhere();
			ReactiveBody.this.unseen = !chain.known() || chain.grows() && moving;
			if (isUnseen()) {
				segments.abandon();
			}
		}

		private static void outside(Runnable signal) {
			Segments suspended = Segments.suspend();
			try {
				signal.run();
			}
			finally {
				Segments.restore(suspended);
			}
		}

	}

}
