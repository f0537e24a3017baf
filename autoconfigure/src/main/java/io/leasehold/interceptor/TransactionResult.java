package io.leasehold.interceptor;

import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockKeys;
import io.leasehold.service.TransactionScopedLocks;
import org.jspecify.annotations.Nullable;

/**
 * Result of a method whose lock is part of the caller's transaction. The end of the
 * transaction releases it, whatever the method returns or throws.
 *
 * @param method name of the method, for messages
 */
record TransactionResult(String method) implements ResultKind {

	@Override
	public @Nullable Object invoke(LockCall call) throws Throwable {
		LockKeys keys = call.keys();
		if (keys != null) {
			TransactionScopedLocks locks = call.locks().inTransactions(call.operation().options().engine());
			try {
				locks.acquireAll(keys, call.operation().options(), this.method,
						(failure) -> call.isBypassed(failure) && !locks.mustRollBack());
			}
			catch (LockBusyException | LockEngineException ex) {
				if (locks.mustRollBack()) {
					throw ex;
				}
				return call.withoutLock(ex);
			}
		}
		Object returned = call.proceed();
		IllegalStateException refusal = call.operation().check().refusal(returned);
		if (refusal != null) {
			throw refusal;
		}
		return returned;
	}

}
