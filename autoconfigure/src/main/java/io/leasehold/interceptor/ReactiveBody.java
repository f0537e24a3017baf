package io.leasehold.interceptor;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.reactive.OpenTransaction;
import io.leasehold.reactive.ReactiveFencingGuard;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.service.OnLost;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The publisher of a method under its lock, for one subscription. The lock is released
 * when the publisher has completed or failed. If the publisher is cancelled before, its
 * work may continue: the lock is lost, and its key is left to the lease, unless
 * {@link OnCancel#RELEASE} is set. A lock that was acquired inside a reactive transaction
 * is held until that has ended.
 */
final class ReactiveBody {

	private final LockCall call;

	private final HeldLock held;

	private final OpenTransaction transaction;

	private final Supplier<Publisher<Object>> method;

	private final AtomicBoolean begun = new AtomicBoolean();

	private volatile @Nullable Subscription subscription;

	private volatile boolean ended;

	/** Whether a value was refused, which may be work that continues. */
	private volatile boolean refused;

	ReactiveBody(LockCall call, HeldLock held, OpenTransaction transaction, Supplier<Publisher<Object>> method) {
		this.call = call;
		this.held = held;
		this.transaction = transaction;
		this.method = method;
	}

	/** Return the publisher with its lock in the context. */
	Flux<Object> publisher() {
		ReactiveFencingGuard fencing = this.call.operation().reactiveFencing();
		Flux<Object> work = Flux.defer(() -> this.begun.compareAndSet(false, true) ? begin() : Flux.<Object>never());
		Flux<Object> body = ((fencing != null) ? fencing.fence(this.held, work) : work)
			.doOnTerminate(() -> this.ended = true)
			.doOnNext(this::check)
			.contextWrite((context) -> ReactiveLocks.add(context, this.held));
		return (this.call.locks().onLost() == OnLost.INTERRUPT)
				? body.doOnSubscribe((subscription) -> this.subscription = subscription)
					.takeUntilOther(Mono.create((sink) -> this.held.onLost(sink::error)))
					.doOnError((loss) -> cancel())
				: body;
	}

	/** Reactor does not cancel a publisher whose other one fails. */
	private void cancel() {
		Subscription subscription = this.subscription;
		if (subscription != null) {
			subscription.cancel();
		}
	}

	private Publisher<Object> begin() {
		this.transaction.acquired(this.held);
		return this.method.get();
	}

	private void check(Object value) {
		IllegalStateException refusal = this.call.operation().check().refusal(value);
		if (refusal != null) {
			this.refused = true;
			throw refusal;
		}
	}

	/**
	 * Release the lock, or lose it if the publisher has begun and not ended.
	 * @return completes when the lock is released or lost, or waits for a transaction
	 */
	Mono<Void> end() {
		boolean unused = this.begun.compareAndSet(false, true);
		if (!this.refused && (unused || this.ended || this.call.onCancel() == OnCancel.RELEASE)) {
			Mono<Void> release = Mono
				.fromFuture(() -> this.call.locks().closeAsync(this.held, this.call.operation().options()));
			return unused ? release : this.transaction.release(release);
		}
		return Mono.fromRunnable(() -> this.call.locks().cancelled(this.held));
	}

	/** End with a failed release suppressed in the publisher's own failure. */
	Mono<Void> endAfter(Throwable failure) {
		return end().onErrorResume((loss) -> {
			failure.addSuppressed(loss);
			return Mono.empty();
		});
	}

}
