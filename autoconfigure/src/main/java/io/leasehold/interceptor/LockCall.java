package io.leasehold.interceptor;

import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockKeyException;
import io.leasehold.LockKeys;
import io.leasehold.annotation.WhenBusy;
import io.leasehold.key.LockCondition;
import io.leasehold.service.LockService;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;

/**
 * One call of an annotated method, and what its annotation says about it.
 *
 * @param operation what the annotation says
 * @param invocation the call
 * @param locks gives the locks
 * @param whenUnavailable what to do when the store cannot be reached
 * @param threads run what waits for its lock
 */
record LockCall(LockOperation operation, MethodInvocation invocation, LockService locks,
		UnavailablePolicy whenUnavailable, BodyThreads threads) {

	/** The same call, to proceed once more or in another thread. */
	LockCall again() {
		return new LockCall(this.operation, ((ProxyMethodInvocation) this.invocation).invocableClone(), this.locks,
				this.whenUnavailable, this.threads);
	}

	/** The keys to lock, or nothing if the call wants no lock. */
	@Nullable LockKeys keys() {
		Object target = this.invocation.getThis();
		Object[] arguments = this.invocation.getArguments();
		try {
			LockCondition condition = this.operation.condition();
			if (condition != null && !condition.holds(target, arguments)) {
				this.locks.notWanted(this.operation.options());
				return null;
			}
			return this.operation.key().evaluate(target, arguments);
		}
		catch (LockKeyException ex) {
			this.locks.keyRefused(this.operation.options());
			throw ex;
		}
	}

	/** Make the lock the current one of this thread. */
	HeldLockScope enter(HeldLock held) {
		FencingGuard fencing = this.operation.fencing();
		return (fencing != null) ? fencing.open(held) : HeldLockScope.open(held);
	}

	/** Whether the call continues without the lock, and the exception is discarded. */
	boolean isBypassed(LockException reason) {
		if (this.operation.fallback() != null) {
			return false;
		}
		if (reason instanceof LockBusyException) {
			return this.operation.whenBusy() == WhenBusy.SKIP;
		}
		return reason instanceof LockEngineException failure && this.operation.fencing() == null
				&& this.whenUnavailable.letsPass(failure);
	}

	/** Whether something else is done than to throw. */
	boolean hasAlternative(Throwable reason) {
		if (!(reason instanceof LockBusyException || reason instanceof LockEngineException)) {
			return false;
		}
		return this.operation.fallback() != null || isBypassed((LockException) reason);
	}

	/** Do what the annotation wants where the lock was not had. */
	@Nullable Object withoutLock(LockException reason) throws Throwable {
		if (this.operation.fallback() != null) {
			return this.operation.fallback().call(this.invocation, reason);
		}
		if (!isBypassed(reason)) {
			throw reason;
		}
		return (reason instanceof LockBusyException) ? SkippedResult.of(this.invocation.getMethod())
				: this.invocation.proceed();
	}

}
