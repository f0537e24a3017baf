package io.leasehold.interceptor;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.LockException;
import io.leasehold.LockKeys;
import io.leasehold.LockLostException;
import io.leasehold.reactive.ReactiveLocks;
import io.leasehold.service.OnLost;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.Assert;

/**
 * Result that is a publisher. Each subscription calls the method under a separate lock,
 * which is held until that subscription ends. Waiting blocks no thread. A cancellation
 * ends the wait or {@linkplain ReactiveBody#finish() finishes} the hold.
 */
final class ReactiveResult implements ResultKind {

	private final ReactiveAdapter adapter;

	private ReactiveResult(ReactiveAdapter adapter) {
		this.adapter = adapter;
	}

	static @Nullable ResultKind of(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		return (adapter != null) ? new ReactiveResult(adapter) : null;
	}

	@Override
	public Object invoke(LockCall call) {
		Publisher<Object> result = this.adapter.isMultiValue() ? Flux.deferContextual((context) -> many(call, context))
				: Mono.deferContextual((context) -> one(call, context));
		return this.adapter.fromPublisher(result);
	}

	private Mono<Object> one(LockCall call, ContextView context) {
		LockCall own = call.again();
		LockKeys keys = own.keys();
		if (keys == null) {
			return Mono.from(proceed(own));
		}
		Segments outer = Segments.subscribing(context);
		return one(own, take(own, keys, context, outer), outer);
	}

	private Mono<Object> one(LockCall call, Mono<Taken> taking, @Nullable Segments outer) {
		Mono<Object> result = Mono
			.usingWhen(taking, (taken) -> Mono.from(body(call, taken)), Taken::finish,
					(taken, failure) -> taken.finishAfter(failure), Taken::finish)
			.onErrorMap(ReactiveResult::unwrapped);
		return (outer != null) ? result.transform(outer.signals()) : result;
	}

	private Flux<Object> many(LockCall call, ContextView context) {
		LockCall own = call.again();
		LockKeys keys = own.keys();
		if (keys == null) {
			return Flux.from(proceed(own));
		}
		Segments outer = Segments.subscribing(context);
		return many(own, take(own, keys, context, outer), outer);
	}

	private Flux<Object> many(LockCall call, Mono<Taken> taking, @Nullable Segments outer) {
		Flux<Object> result = Flux
			.usingWhen(taking, (taken) -> body(call, taken), Taken::finish,
					(taken, failure) -> taken.finishAfter(failure), Taken::finish)
			.onErrorMap(ReactiveResult::unwrapped);
		return (outer != null) ? result.transform(outer.signals()) : result;
	}

	/** Hold the lock until the first subscription ends. Further ones are rejected. */
	@Override
	public Object follow(LockCall call, HeldLock held, Object returned) {
		AtomicBoolean subscribed = new AtomicBoolean();
		Function<@Nullable Segments, Mono<Taken>> taking = (outer) -> Mono.fromSupplier(() -> {
			Assert.state(subscribed.compareAndSet(false, true),
					() -> "The result of method '%s' was subscribed to twice, but acquired its lock only once. Declare that the method returns a %s."
						.formatted(call.operation().options().name(), this.adapter.getReactiveType().getSimpleName()));
			return new Taken(held, body(call, held, outer, () -> this.adapter.toPublisher(returned)), null);
		});
		Publisher<Object> result = this.adapter.isMultiValue() ? Flux.deferContextual((context) -> {
			Segments outer = Segments.subscribing(context);
			return many(call, taking.apply(outer), outer);
		}) : Mono.deferContextual((context) -> {
			Segments outer = Segments.subscribing(context);
			return one(call, taking.apply(outer), outer);
		});
		return this.adapter.fromPublisher(result);
	}

	private Mono<Taken> take(LockCall call, LockKeys keys, ContextView context, @Nullable Segments outer) {
		List<HeldLock> held = ReactiveLocks.held(context);
		Mono<Taken> taking = Mono
			.fromFuture(() -> call.locks()
				.acquireAllAsync(keys, call.operation().options(), held, call.operation().bypassed()))
			.doOnDiscard(HeldLock.class, (lock) -> call.locks().closeAsync(lock, call.operation().options()))
			.map((lock) -> new Taken(lock, body(call, lock, outer, () -> proceed(call)), null))
			.onErrorResume(call::hasAlternative, (reason) -> Mono.just(new Taken(null, null, (LockException) reason)));
		return (outer != null) ? taking.transform(outer.<Taken>signals()) : taking;
	}

	private ReactiveBody body(LockCall call, HeldLock held, @Nullable Segments outer,
			Supplier<Publisher<Object>> method) {
		return new ReactiveBody(call, held, !this.adapter.isMultiValue(), outer, method);
	}

	private Publisher<Object> body(LockCall call, Taken taken) {
		HeldLock held = taken.lock();
		ReactiveBody guarded = taken.body();
		if (held == null || guarded == null) {
			return alternative(call, taken);
		}
		Flux<Object> body = guarded.inContext();
		return (call.locks().onLost() == OnLost.INTERRUPT)
				? body.takeUntilOther(Mono.create((sink) -> held.onLost(sink::error))) : body;
	}

	private Publisher<Object> alternative(LockCall call, Taken taken) {
		try {
			Object result = (taken.reason() != null) ? call.withoutLock(taken.reason()) : null;
			return (result != null) ? this.adapter.toPublisher(result) : Mono.empty();
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
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
	 * @param lock the lock, if it was acquired
	 * @param body the body to run under it
	 * @param reason why the lock could not be acquired
	 */
	private record Taken(@Nullable HeldLock lock, @Nullable ReactiveBody body, @Nullable LockException reason) {

		Mono<Void> finish() {
			ReactiveBody guarded = this.body;
			return (guarded != null) ? Mono.fromFuture(guarded::finish) : Mono.empty();
		}

		/** Finish, with a failed close suppressed in the method's own failure. */
		Mono<Void> finishAfter(Throwable failure) {
			return finish().onErrorResume((loss) -> {
				failure.addSuppressed(loss);
				return Mono.empty();
			});
		}

	}

}
