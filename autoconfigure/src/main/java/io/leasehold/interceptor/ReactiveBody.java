package io.leasehold.interceptor;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
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
 * {@link OnCancel#RELEASE} is set.
 */
final class ReactiveBody {

	private final LockCall call;

	private final HeldLock held;

	private final Supplier<Publisher<Object>> method;

	private final AtomicBoolean begun = new AtomicBoolean();

	private volatile @Nullable Subscription subscription;

	private volatile boolean ended;

	/** Whether a value was refused, which may be work that continues. */
	private volatile boolean refused;

	ReactiveBody(LockCall call, HeldLock held, Supplier<Publisher<Object>> method) {
		this.call = call;
		this.held = held;
		this.method = method;
	}

	/** Return the publisher with its lock in the context. */
	Flux<Object> publisher() {
		Flux<Object> body = Flux
			.defer(() -> this.begun.compareAndSet(false, true) ? this.method.get() : Flux.<Object>never())
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

	private void check(Object value) {
		IllegalStateException refusal = this.call.operation().check().refusal(value);
		if (refusal != null) {
			this.refused = true;
			throw refusal;
		}
	}

	/**
	 * Release the lock, or lose it if the publisher has begun and not ended.
	 * @return completes when the lock is released or lost
	 */
	Mono<Void> end() {
		boolean over = this.ended || this.begun.compareAndSet(false, true);
		if (!this.refused && (over || this.call.onCancel() == OnCancel.RELEASE)) {
			return Mono.fromFuture(() -> this.call.locks().closeAsync(this.held, this.call.operation().options()));
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
