package io.leasehold.interceptor;

import java.util.function.Supplier;

import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.service.LockService;
import io.leasehold.service.OnLost;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Runs annotated methods under their locks. Thread-safe.
 */
public final class LockInterceptor implements MethodInterceptor {

	private final LockOperationSource operations;

	private final Supplier<LockService> service;

	private final UnavailablePolicy whenUnavailable;

	/**
	 * Create an interceptor.
	 * @param operations what the annotations say
	 * @param service gives the locks, asked for at the first call
	 * @param whenUnavailable what to do when the store cannot be reached
	 */
	public LockInterceptor(LockOperationSource operations, Supplier<LockService> service,
			UnavailablePolicy whenUnavailable) {
		this.operations = operations;
		this.service = service;
		this.whenUnavailable = whenUnavailable;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockOperation operation = this.operations.find(invocation);
		if (operation == null) {
			return invocation.proceed();
		}
		LockService locks = this.service.get();
		LockKey key = evaluateKey(operation, invocation, locks);
		HeldLock held;
		try {
			held = locks.acquire(key, operation.options(), (failure) -> isBypassed(operation, failure));
		}
		catch (LockBusyException | LockEngineException ex) {
			return withoutLock(operation, invocation, ex);
		}
		return underLock(held, invocation, locks.onLost());
	}

	private static LockKey evaluateKey(LockOperation operation, MethodInvocation invocation, LockService locks) {
		try {
			return operation.key().evaluate(invocation.getThis(), invocation.getArguments());
		}
		catch (LockKeyException ex) {
			locks.keyRefused(operation.options());
			throw ex;
		}
	}

	/** A failed close joins the method's own exception instead of replacing it. */
	@SuppressWarnings("try")
	private static @Nullable Object underLock(HeldLock held, MethodInvocation invocation, OnLost onLost)
			throws Throwable {
		try (held;
				HeldLockScope scope = HeldLockScope.open(held);
				BodyInterrupt interrupt = (onLost == OnLost.INTERRUPT) ? BodyInterrupt.onLossOf(held) : null) {
			return invocation.proceed();
		}
	}

	private boolean isBypassed(LockOperation operation, LockEngineException failure) {
		return operation.fallback() == null && this.whenUnavailable.letsPass(failure);
	}

	private @Nullable Object withoutLock(LockOperation operation, MethodInvocation invocation, LockException reason)
			throws Throwable {
		if (operation.fallback() != null) {
			return operation.fallback().call(invocation, reason);
		}
		if (reason instanceof LockBusyException && operation.whenBusy() == WhenBusy.SKIP) {
			return SkippedResult.of(invocation.getMethod());
		}
		if (reason instanceof LockEngineException failure && isBypassed(operation, failure)) {
			return invocation.proceed();
		}
		throw reason;
	}

}
