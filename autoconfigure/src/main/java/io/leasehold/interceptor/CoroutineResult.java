package io.leasehold.interceptor;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.channels.BufferOverflow;
import kotlinx.coroutines.flow.Flow;
import kotlinx.coroutines.flow.FlowKt;
import kotlinx.coroutines.reactive.ReactiveFlowKt;
import kotlinx.coroutines.reactor.ReactorFlowKt;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Result of Kotlin's coroutines: that of a suspending function, or a flow. The body runs
 * in the context of its caller, with the lock added. A cancelled body keeps its lock
 * until it has ended.
 */
final class CoroutineResult extends ReactiveResult {

	/** A suspending function, for which Spring's proxies expect a publisher. */
	static final ResultKind SUSPENDING = (call) -> {
		Continuation<Object> caller = continuation(call.invocation().getArguments());
		return new CoroutineResult(Mono.class, caller.getContext()).invoke(call);
	};

	/** A flow. Each collection calls the function under a separate lock. */
	static final ResultKind FLOW = (call) -> {
		Flow<Object> locked = (collector, continuation) -> {
			Flux<?> body = (Flux<?>) new CoroutineResult(Flux.class, continuation.getContext()).invoke(call);
			// Without a buffer, the body waits for its collector, as without a lock
			return FlowKt.buffer(ReactiveFlowKt.asFlow(body), 0, BufferOverflow.SUSPEND)
				.collect(collector, continuation);
		};
		return locked;
	};

	private final CoroutineContext context;

	private final List<HeldLock> outer = HeldLockScope.held();

	private CoroutineResult(Class<?> type, CoroutineContext caller) {
		super(adapter(type));
		this.context = caller.minusKey(Job.Key);
	}

	private static ReactiveAdapter adapter(Class<?> type) {
		return Objects.requireNonNull(ReactiveAdapterRegistry.getSharedInstance().getAdapter(type));
	}

	/** Return the locks of the caller's thread and of its Reactor context. */
	@Override
	List<HeldLock> outer(ContextView subscriber) {
		Set<HeldLock> all = new LinkedHashSet<>(this.outer);
		all.addAll(super.outer(subscriber));
		return List.copyOf(all);
	}

	@Override
	ReactiveWork work(LockCall call, HeldLock held) {
		return new CoroutineWork(held, (lock) -> proceed(call, this.context.plus(lock)));
	}

	@Override
	Publisher<Object> proceed(LockCall call) {
		return proceed(call, this.context);
	}

	private static Publisher<Object> proceed(LockCall call, CoroutineContext context) {
		try {
			resumeIn(context, (ProxyMethodInvocation) call.invocation());
			return publisher(call.proceed(), context);
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	/** Run a suspending function in a context. Spring reads it from the last argument. */
	private static void resumeIn(CoroutineContext context, ProxyMethodInvocation invocation) {
		if (KotlinDetector.isSuspendingFunction(invocation.getMethod())) {
			Object[] arguments = invocation.getArguments().clone();
			Continuation<Object> caller = continuation(arguments);
			arguments[arguments.length - 1] = new Continuation<Object>() {

				@Override
				public CoroutineContext getContext() {
					return context;
				}

				@Override
				public void resumeWith(Object result) {
					caller.resumeWith(result);
				}

			};
			invocation.setArguments(arguments);
		}
	}

	@SuppressWarnings("unchecked")
	private static Continuation<Object> continuation(@Nullable Object[] arguments) {
		return Objects.requireNonNull((Continuation<Object>) arguments[arguments.length - 1]);
	}

	@Override
	Publisher<Object> toPublisher(@Nullable Object returned) {
		return publisher(returned, this.context);
	}

	@SuppressWarnings("unchecked")
	private static Publisher<Object> publisher(@Nullable Object returned, CoroutineContext context) {
		if (returned instanceof Flow<?> flow) {
			return (Publisher<Object>) ReactorFlowKt.asFlux(flow, context);
		}
		return (returned instanceof Publisher<?>) ? (Publisher<Object>) returned : Mono.justOrEmpty(returned);
	}

}
