package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leasehold.HeldLock;
import io.leasehold.LockLostException;
import io.leasehold.reactive.OpenTransaction;
import io.leasehold.reactive.ReactiveFencingGuard;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.service.OnLost;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The publisher of a method under its lock, for one subscription. The lock is released
 * when the publisher has completed or failed. If the publisher is cancelled before, its
 * work may continue. The lock is released when the work has ended, if it reports that.
 * Otherwise the lock is lost, and its key is left to the lease, unless
 * {@link OnCancel#RELEASE} is set. A lock that was acquired inside a reactive transaction
 * is held until that has ended.
 */
final class ReactiveBody {

	private final LockCall call;

	private final HeldLock held;

	private final OpenTransaction transaction;

	private final ReactiveWork work;

	private final AtomicBoolean begun = new AtomicBoolean();

	private volatile @Nullable Subscription subscription;

	private volatile boolean ended;

	/** Whether a value was refused, which may be work that continues. */
	private volatile boolean refused;

	ReactiveBody(LockCall call, HeldLock held, OpenTransaction transaction, ReactiveWork work) {
		this.call = call;
		this.held = held;
		this.transaction = transaction;
		this.work = work;
	}

	/** Return the publisher with its lock in the context. */
	Flux<Object> publisher() {
		ReactiveFencingGuard fencing = this.call.operation().reactiveFencing();
		Flux<Object> work = Flux.defer(() -> this.begun.compareAndSet(false, true) ? begin() : Flux.<Object>never());
		Flux<Object> body = ((fencing != null) ? fencing.fence(this.held, work) : work)
			.doOnTerminate(() -> this.ended = true)
			.doOnNext(this::check)
			.contextWrite((context) -> ReactiveLocks.add(context, this.held));
		if (this.call.locks().onLost() != OnLost.INTERRUPT) {
			return body;
		}
		Sinks.Empty<Object> end = Sinks.empty();
		this.held.onLost(end::tryEmitError);
		return body.doOnSubscribe((subscription) -> this.subscription = subscription)
			.takeUntilOther(end.asMono())
			.doOnError((loss) -> cancel());
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
		return this.work.begin();
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
		return end(this.ended);
	}

	/** After a failure, other coroutines of the publisher may still run. */
	private Mono<Void> end(boolean complete) {
		boolean unused = this.begun.compareAndSet(false, true);
		boolean over = unused || this.ended;
		CompletableFuture<Void> work = (unused || complete || this.refused) ? null : this.work.whenEnded();
		if (work != null) {
			return Mono.fromFuture(work, true).then(this.transaction.release(this.held, release()));
		}
		boolean released = over || this.call.onCancel() == OnCancel.RELEASE;
		if (!released || this.refused) {
			return Mono.fromRunnable(() -> this.call.locks().cancelled(this.held));
		}
		return unused ? release() : this.transaction.release(this.held, release());
	}

	private Mono<Void> release() {
		return Mono.fromFuture(() -> this.call.locks().closeAsync(this.held, this.call.operation().options()));
	}

	/** End with a failed release suppressed in the publisher's own failure. */
	Mono<Void> endAfter(Throwable failure) {
		return end(false).onErrorResume((loss) -> {
			if (!(failure instanceof LockLostException)) {
				failure.addSuppressed(loss);
			}
			return Mono.empty();
		});
	}

}
