package io.leasehold.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.LockKeys;
import io.leasehold.LockLostException;
import io.leasehold.reactive.OpenTransaction;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.reactive.ReactiveTransactions;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.Assert;
import org.springframework.util.function.SingletonSupplier;

/**
 * Result that is a publisher. Each subscription calls the method under a separate lock,
 * which is held until that {@linkplain ReactiveBody publisher} ends. Waiting blocks no
 * thread. A cancellation ends the wait.
 */
class ReactiveResult implements ResultKind {

	private final ReactiveAdapter adapter;

	ReactiveResult(ReactiveAdapter adapter) {
		this.adapter = adapter;
	}

	/** Return how to follow a publisher, or {@code null} if the type is none. */
	static @Nullable ResultKind of(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return (adapter != null) ? new ReactiveResult(adapter) : null;
	}

	/** Return whether a result can have a declared type, unless that is no publisher. */
	static boolean canBe(Class<?> declared) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(declared);
		return adapter == null || declared.isInstance(adapter.fromPublisher(Mono.empty()));
	}

	@Override
	public Object invoke(LockCall call) {
		return inTransaction(call, (transaction) -> subscription(call, transaction));
	}

	/**
	 * Hold the lock until the first subscription ends, or the transaction in which it
	 * runs. Further ones are rejected.
	 */
	@Override
	public Object follow(LockCall call, HeldLock held, Object returned) {
		AtomicBoolean subscribed = new AtomicBoolean();
		return inTransaction(call, (transaction) -> underLock(() -> {
			Assert.state(subscribed.compareAndSet(false, true),
					() -> "The result of method '%s' was subscribed to twice, but acquired its lock only once. Declare that the method returns a %s."
						.formatted(call.operation().options().name(), this.adapter.getReactiveType().getSimpleName()));
			return Taken.of(call, CompletableFuture.completedFuture(held), transaction,
					(lock) -> () -> toPublisher(returned), () -> {
					});
		}));
	}

	private Flux<Object> subscription(LockCall call, OpenTransaction transaction) {
		return Flux.deferContextual((context) -> {
			try {
				LockCall own = call.again();
				LockKeys keys = own.keys();
				return (keys != null) ? underLock(() -> acquire(own, keys, transaction, context)) : proceed(own);
			}
			catch (Throwable ex) {
				return Flux.error(ex); // also an error that Reactor would throw
			}
		});
	}

	private Object inTransaction(LockCall call, Function<OpenTransaction, Flux<Object>> subscription) {
		ReactiveTransactions transactions = call.operation().transactions();
		Flux<Object> result = (transactions != null) ? transactions.current().flatMapMany(subscription)
				: subscription.apply(OpenTransaction.NONE);
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? result : result.singleOrEmpty());
	}

	private Flux<Object> underLock(Supplier<Taken> taking) {
		return Flux
			.usingWhen(Mono.fromSupplier(taking), this::publisher,
					(taken) -> taken.end().onErrorMap(LockLostException.class, LossAtEnd::new), Taken::endAfter,
					(taken) -> taken.end().onErrorComplete())
			.onErrorMap(ReactiveResult::unwrapped);
	}

	private Taken acquire(LockCall call, LockKeys keys, OpenTransaction transaction, ContextView context) {
		List<HeldLock> outer = new ArrayList<>(outer(context));
		outer.addAll(transaction.enter(keys));
		Supplier<CompletableFuture<HeldLock>> acquisition = () -> call.locks()
			.acquireAllAsync(keys, call.operation().options(), outer, call.operation().bypassed());
		CompletableFuture<HeldLock> taken = BodyThreads.within(context, acquisition,
				(held) -> call.locks().closeAsync(held, call.operation().options()));
		return Taken.of(call, taken, transaction, (held) -> work(call, held), () -> transaction.leave(keys));
	}

	private Flux<Object> publisher(Taken taken) {
		LockCall call = taken.call;
		return Mono.fromFuture(taken.acquisition, true)
			.<Publisher<Object>>map((held) -> taken.body.get().publisher())
			.onErrorResume(call::hasAlternative, (reason) -> Mono.just(alternative(call, (LockException) reason)))
			.flatMapMany(Function.identity());
	}

	private Publisher<Object> alternative(LockCall call, LockException reason) {
		return Flux.defer(() -> {
			try {
				Object result = call.withoutLock(reason);
				return (result != null) ? toPublisher(result) : Mono.empty();
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		});
	}

	/** Return the locks under which a subscription runs, innermost first. */
	List<HeldLock> outer(ContextView context) {
		return ReactiveLocks.held(context);
	}

	/** Return the work of a method under its lock. */
	ReactiveWork work(LockCall call, HeldLock held) {
		return () -> proceed(call);
	}

	/** Convert the result of a method or of its fallback. */
	Publisher<Object> toPublisher(@Nullable Object returned) {
		return this.adapter.toPublisher(returned);
	}

	Publisher<Object> proceed(LockCall call) {
		try {
			return toPublisher(call.proceed());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	/** Reactor wraps the exception of a release. */
	private static Throwable unwrapped(Throwable failure) {
		return (failure.getCause() instanceof LossAtEnd end) ? end.loss : failure;
	}

	/** Loss that the release reports, not one that the body has thrown. */
	private static final class LossAtEnd extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final LockLostException loss;

		LossAtEnd(LockLostException loss) {
			super(loss);
			this.loss = loss;
		}

	}

	/**
	 * An acquisition, and the body under its lock. Reactor drops a lock that is granted
	 * at the moment of a cancellation, so the future decides which of them came first.
	 */
	private record Taken(LockCall call, CompletableFuture<HeldLock> acquisition, Supplier<ReactiveBody> body,
			Runnable leave) {

		static Taken of(LockCall call, CompletableFuture<HeldLock> acquisition, OpenTransaction transaction,
				Function<HeldLock, ReactiveWork> work, Runnable leave) {
			return new Taken(call, acquisition, SingletonSupplier.of(() -> {
				HeldLock held = acquisition.join();
				return new ReactiveBody(call, held, transaction, work.apply(held));
			}), leave);
		}

		Mono<Void> end() {
			return ended(isGranted() ? this.body.get().end() : Mono.empty());
		}

		Mono<Void> endAfter(Throwable failure) {
			return ended(isGranted() ? this.body.get().endAfter(failure) : Mono.empty());
		}

		private Mono<Void> ended(Mono<Void> end) {
			return end.doOnTerminate(this.leave).doOnCancel(this.leave);
		}

		/** A cancelled acquisition releases the lock by itself. */
		private boolean isGranted() {
			return !this.acquisition.cancel(true) && !this.acquisition.isCompletedExceptionally();
		}

	}

}
