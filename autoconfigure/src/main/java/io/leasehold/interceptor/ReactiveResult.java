package io.leasehold.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.LockKeys;
import io.leasehold.LockLostException;
import io.leasehold.reactive.ReactiveLocks;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.Assert;

/**
 * Result that is a publisher. Each subscription calls the method under a separate lock,
 * which is held until that {@linkplain ReactiveBody publisher} ends. Waiting blocks no
 * thread. A cancellation ends the wait.
 */
final class ReactiveResult implements ResultKind {

	private final ReactiveAdapter adapter;

	private ReactiveResult(ReactiveAdapter adapter) {
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
		return adapted(Flux.deferContextual((context) -> {
			LockCall own = call.again();
			LockKeys keys = own.keys();
			return (keys != null) ? underLock(acquire(own, keys, context)) : proceed(own);
		}));
	}

	/** Hold the lock until the first subscription ends. Further ones are rejected. */
	@Override
	public Object follow(LockCall call, HeldLock held, Object returned) {
		AtomicBoolean subscribed = new AtomicBoolean();
		return adapted(underLock(Mono.fromSupplier(() -> {
			Assert.state(subscribed.compareAndSet(false, true),
					() -> "The result of method '%s' was subscribed to twice, but acquired its lock only once. Declare that the method returns a %s."
						.formatted(call.operation().options().name(), this.adapter.getReactiveType().getSimpleName()));
			return Taken.by(new ReactiveBody(call, held, () -> this.adapter.toPublisher(returned)));
		})));
	}

	private Object adapted(Flux<Object> result) {
		return this.adapter.fromPublisher(this.adapter.isMultiValue() ? result : result.singleOrEmpty());
	}

	private static Flux<Object> underLock(Mono<Taken> taking) {
		return Flux
			.usingWhen(taking, Taken::publisher, Taken::end, Taken::endAfter, (taken) -> taken.end().onErrorComplete())
			.onErrorMap(ReactiveResult::unwrapped);
	}

	private Mono<Taken> acquire(LockCall call, LockKeys keys, ContextView context) {
		List<HeldLock> outer = ReactiveLocks.held(context);
		Supplier<CompletableFuture<HeldLock>> acquisition = () -> call.locks()
			.acquireAllAsync(keys, call.operation().options(), outer, call.operation().bypassed());
		return Mono.<HeldLock>create((sink) -> emit(BodyThreads.within(context, acquisition), sink))
			.doOnDiscard(HeldLock.class, (lock) -> call.locks().closeAsync(lock, call.operation().options()))
			.map((lock) -> Taken.by(new ReactiveBody(call, lock, () -> proceed(call))))
			.onErrorResume(call::hasAlternative,
					(reason) -> Mono.just(new Taken(alternative(call, (LockException) reason), null)));
	}

	/**
	 * Unlike {@code Mono.fromFuture}, discards a lock if it is cancelled before its
	 * request.
	 */
	private static void emit(CompletableFuture<HeldLock> acquisition, MonoSink<HeldLock> sink) {
		sink.onCancel(() -> acquisition.cancel(true));
		acquisition.whenComplete((lock, failure) -> {
			if (lock != null) {
				sink.success(lock);
			}
			else {
				sink.error((failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
						: failure);
			}
		});
	}

	private Publisher<Object> alternative(LockCall call, LockException reason) {
		return Flux.defer(() -> {
			try {
				Object result = call.withoutLock(reason);
				return (result != null) ? this.adapter.toPublisher(result) : Mono.empty();
			}
			catch (Throwable ex) {
				return Mono.error(ex);
			}
		});
	}

	private Publisher<Object> proceed(LockCall call) {
		try {
			return this.adapter.toPublisher(call.proceed());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	private static Throwable unwrapped(Throwable failure) {
		return (failure.getCause() instanceof LockLostException loss && failure.getClass() == RuntimeException.class)
				? loss : failure;
	}

	/**
	 * Outcome of an acquisition.
	 *
	 * @param publisher the method's publisher, or the one that replaces it
	 * @param body the body under the lock, {@code null} if the lock was not acquired
	 */
	private record Taken(Publisher<Object> publisher, @Nullable ReactiveBody body) {

		static Taken by(ReactiveBody body) {
			return new Taken(body.publisher(), body);
		}

		Mono<Void> end() {
			return (this.body != null) ? this.body.end() : Mono.empty();
		}

		Mono<Void> endAfter(Throwable failure) {
			return (this.body != null) ? this.body.endAfter(failure) : Mono.empty();
		}

	}

}
