package io.leasehold.interceptor;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKeys;
import io.leasehold.service.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * A result that is there when the method returns. The caller's thread waits for the lock.
 */
enum PlainResult implements ResultKind {

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
		return underLock(held, call);
	}

	/** A failed close joins the method's own exception instead of replacing it. */
	@SuppressWarnings("try")
	private static @Nullable Object underLock(HeldLock held, LockCall call) throws Throwable {
		boolean interrupts = call.locks().onLost() == OnLost.INTERRUPT;
		try (held;
				HeldLockScope scope = call.enter(held);
				BodyInterrupt interrupt = interrupts ? BodyInterrupt.onLossOf(held) : null) {
			return call.invocation().proceed();
		}
	}

}
