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
 * Result of a method that runs in the calling thread, which waits for the lock.
 */
enum DirectResult implements ResultKind {

	/** A result that is complete when the method returns. */
	PLAIN {
		@Override
		@Nullable Object end(@Nullable Object returned, HeldLock held, LockCall call) {
			held.close();
			return returned;
		}
	},

	/**
	 * A result whose end depends on the returned object: the method is declared to return
	 * any object, or runs in an {@code @Async} thread. An object that ends later is
	 * followed to its end. If that is not possible, the call fails, and the key is left
	 * to the lease, because the work may have begun.
	 */
	ANY {
		@Override
		@Nullable Object end(@Nullable Object returned, HeldLock held, LockCall call) {
			LockOperation operation = call.operation();
			if (returned != null && LateTypes.isLate(returned) && operation.fencing() == null
					&& operation.leadership() == null) {
				ResultKind publisher = MethodChecks.publisher(returned.getClass());
				if (returned instanceof CompletionStage<?> stage) {
					return followed(stage, held, call);
				}
				if (publisher != null) {
					return publisher.follow(call, held, returned);
				}
			}
			IllegalStateException refusal = operation.check().refusal(returned);
			if (refusal != null) {
				call.locks().cancelled(held);
				throw refusal;
			}
			return PLAIN.end(returned, held, call);
		}
	};

	@Override
	public @Nullable Object invoke(LockCall call) throws Throwable {
		LockKeys keys = call.keys();
		if (keys == null) {
			return call.invocation().proceed();
		}
		HeldLock held;
		try {
			held = call.acquire(keys);
		}
		catch (LockBusyException | LockEngineException ex) {
			return call.withoutLock(ex);
		}
		return end(underLock(held, call), held, call);
	}

	/** Release the lock now or when the result ends, and return the caller's result. */
	abstract @Nullable Object end(@Nullable Object returned, HeldLock held, LockCall call);

	private static @Nullable Object underLock(HeldLock held, LockCall call) throws Throwable {
		try {
			return proceed(held, call);
		}
		catch (Throwable ex) {
			// A failed close is suppressed in the method's own exception
			try (held) {
				throw ex;
			}
		}
	}

	@SuppressWarnings("try")
	private static @Nullable Object proceed(HeldLock held, LockCall call) throws Throwable {
		boolean interrupts = call.locks().onLost() == OnLost.INTERRUPT;
		try (HeldLockScope scope = call.enter(held);
				BodyInterrupt interrupt = interrupts ? BodyInterrupt.onLossOf(held) : null) {
			return call.invocation().proceed();
		}
	}

	private static Object followed(CompletionStage<?> stage, HeldLock held, LockCall call) {
		CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
		new StageBody(call, held, result).follow(stage);
		return result;
	}

}
