package io.leasehold.interceptor;

import java.util.List;

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

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * A result that comes with a publisher: each subscription calls the method under a lock
 * of its own, held until that subscription ends. Waiting blocks no thread; cancelling
 * gives up the wait, or the lock.
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
		LockCall own = subscribed(call);
		LockKeys keys = own.keys();
		if (keys == null) {
			return Mono.from(proceed(own));
		}
		return Mono
			.usingWhen(take(own, keys, context), (taken) -> Mono.from(body(own, taken)), (taken) -> close(own, taken),
					(taken, failure) -> closeAfter(failure, own, taken), (taken) -> close(own, taken))
			.onErrorMap(ReactiveResult::unwrapped);
	}

	private Flux<Object> many(LockCall call, ContextView context) {
		LockCall own = subscribed(call);
		LockKeys keys = own.keys();
		if (keys == null) {
			return Flux.from(proceed(own));
		}
		return Flux
			.usingWhen(take(own, keys, context), (taken) -> body(own, taken), (taken) -> close(own, taken),
					(taken, failure) -> closeAfter(failure, own, taken), (taken) -> close(own, taken))
			.onErrorMap(ReactiveResult::unwrapped);
	}

	/** Each subscription proceeds by itself. */
	private static LockCall subscribed(LockCall call) {
		return new LockCall(call.operation(), ((ProxyMethodInvocation) call.invocation()).invocableClone(),
				call.locks(), call.whenUnavailable());
	}

	private static Mono<Taken> take(LockCall call, LockKeys keys, ContextView context) {
		List<HeldLock> outer = ReactiveLocks.held(context);
		return Mono
			.fromFuture(() -> call.locks().acquireAllAsync(keys, call.operation().options(), outer, call::isBypassed))
			.doOnDiscard(HeldLock.class, (held) -> call.locks().closeAsync(held, call.operation().options()))
			.map((held) -> new Taken(held, null))
			.onErrorResume(call::hasAlternative, (reason) -> Mono.just(new Taken(null, (LockException) reason)));
	}

	private Publisher<Object> body(LockCall call, Taken taken) {
		HeldLock held = taken.lock();
		if (held == null) {
			return alternative(call, taken);
		}
		Flux<Object> body = Flux.from(proceed(call)).contextWrite((context) -> ReactiveLocks.add(context, held));
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
			return this.adapter.toPublisher(call.invocation().proceed());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	private static Mono<Void> close(LockCall call, Taken taken) {
		HeldLock held = taken.lock();
		return (held != null) ? Mono.fromFuture(() -> call.locks().closeAsync(held, call.operation().options()))
				: Mono.empty();
	}

	/** A failed close joins the method's own failure instead of replacing it. */
	private static Mono<Void> closeAfter(Throwable failure, LockCall call, Taken taken) {
		return close(call, taken).onErrorResume((loss) -> {
			if (loss != failure) {
				failure.addSuppressed(loss);
			}
			return Mono.empty();
		});
	}

	/** Reactor wraps what comes of closing a resource. */
	private static Throwable unwrapped(Throwable failure) {
		return (failure.getCause() instanceof LockLostException loss && failure.getClass() == RuntimeException.class)
				? loss : failure;
	}

	/**
	 * What came of the wish for a lock.
	 *
	 * @param lock the lock, if it was had
	 * @param reason why it was not
	 */
	private record Taken(@Nullable HeldLock lock, @Nullable LockException reason) {
	}

}
