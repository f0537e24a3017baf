package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKeys;
import io.leasehold.service.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * A result whose end is known only when it is there: of a method that is declared to
 * return any object, or that runs in an {@code @Async} thread. The method runs in the
 * calling thread, which waits for the lock. What it returns is followed to its end.
 */
enum ReturnedResult implements ResultKind {

	INSTANCE;

	@Override
	public @Nullable Object invoke(LockCall call) throws Throwable {
		LockKeys keys = call.keys();
		if (keys == null) {
			return call.invocation().proceed();
		}
		HeldLock held;
		try {
			held = call.locks().acquireAll(keys, call.operation().options(), call::isBypassed);
		}
		catch (LockBusyException | LockEngineException ex) {
			return call.withoutLock(ex);
		}
		Object returned;
		try {
			returned = run(held, call);
		}
		catch (Throwable ex) {
			try (held) {
				throw ex;
			}
		}
		return follow(returned, held, call);
	}

	@SuppressWarnings("try")
	private static @Nullable Object run(HeldLock held, LockCall call) throws Throwable {
		boolean interrupts = call.locks().onLost() == OnLost.INTERRUPT;
		try (HeldLockScope scope = call.enter(held);
				BodyInterrupt interrupt = interrupts ? BodyInterrupt.onLossOf(held) : null) {
			return call.invocation().proceed();
		}
	}

	private static @Nullable Object follow(@Nullable Object returned, HeldLock held, LockCall call) {
		ResultKind publisher = (returned != null) ? MethodChecks.publisher(returned.getClass()) : null;
		boolean followed = call.operation().fencing() == null;
		if (followed && returned instanceof CompletionStage<?> stage) {
			CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
			new StageBody(call, held, result).follow(stage);
			return result;
		}
		if (followed && returned != null && publisher != null) {
			return publisher.follow(call, held, returned);
		}
		if (LateTypes.isRunning(returned)) {
			call.locks().cancelled(held);
			throw refusal(returned, call);
		}
		held.close();
		if (publisher != null || LateTypes.isBeginning(returned)) {
			throw refusal(returned, call);
		}
		return returned;
	}

	private static IllegalStateException refusal(@Nullable Object returned, LockCall call) {
		return new IllegalStateException(
				"Method '%s' returned a %s, whose work would go on after its lock was released. Return a CompletionStage or a publisher%s, or the plain result."
					.formatted(call.operation().options().name(),
							(returned != null) ? returned.getClass().getSimpleName() : null,
							(call.operation().fencing() != null) ? " from a method that is not fenced" : ""));
	}

}
