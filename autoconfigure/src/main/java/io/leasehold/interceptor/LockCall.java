package io.leasehold.interceptor;

import java.time.Duration;
import java.util.Optional;

import io.leasehold.FencingGuard;
import io.leasehold.HeldLock;
import io.leasehold.HeldLockScope;
import io.leasehold.LockBusyException;
import io.leasehold.LockEngineException;
import io.leasehold.LockException;
import io.leasehold.LockKey;
import io.leasehold.LockKeyException;
import io.leasehold.LockKeys;
import io.leasehold.key.LockCondition;
import io.leasehold.leadership.Leadership;
import io.leasehold.service.Handles;
import io.leasehold.service.LockService;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * Call of an annotated method, with the operation of its annotation.
 *
 * @param invocation the call
 * @param locks service that acquires the locks
 * @param threads threads that call methods whose result is a stage
 * @param onCancel effect of a cancelled subscription
 */
record LockCall(LockOperation operation, MethodInvocation invocation, LockService locks, BodyThreads threads,
		OnCancel onCancel) {

	/** Return a copy of the call, to proceed once more or in another thread. */
	LockCall again() {
		return new LockCall(this.operation, ((ProxyMethodInvocation) this.invocation).invocableClone(), this.locks,
				this.threads, this.onCancel);
	}

	/**
	 * Continue the call in this thread. Advice of AspectJ's style looks for the current
	 * invocation there.
	 */
	@Nullable Object proceed() throws Throwable {
		return ExposeInvocationInterceptor.INSTANCE.invoke(this.invocation);
	}

	/** Return the keys to lock, or {@code null} if the condition disables the lock. */
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

	/** Acquire the locks, or enter that of the leader's term. */
	HeldLock acquire(LockKeys keys) {
		Leadership leadership = this.operation.leadership();
		return (leadership != null)
				? reenter(keys.all().get(0)).or(leadership::tryEnter).orElseThrow(() -> notLeader(keys, leadership))
				: this.locks.acquireAll(keys, this.operation.options(), this.operation.bypassed());
	}

	/** A body of a leader that steps down runs to its end. */
	private Optional<HeldLock> reenter(LockKey role) {
		return HeldLockScope.held()
			.stream()
			.flatMap((held) -> held.parts().stream())
			.filter((held) -> held.key().equals(role.value())
					&& held.engine().equals(this.operation.options().engine()))
			.flatMap((held) -> Handles.enter(held).stream())
			.findFirst();
	}

	private LockBusyException notLeader(LockKeys keys, Leadership leadership) {
		return new LockBusyException(keys.all().get(0), "%s did not run: this process does not lead in role '%s'"
			.formatted(this.operation.options().name(), leadership.role()), Duration.ZERO);
	}

	/** Make the lock the current one of this thread, fenced if the method is. */
	HeldLockScope enter(HeldLock held) {
		FencingGuard fencing = this.operation.fencing();
		return (fencing != null) ? fencing.open(held) : HeldLockScope.open(held);
	}

	/** Return whether the call is skipped or runs unlocked, without the exception. */
	boolean isBypassed(LockException reason) {
		return this.operation.bypassed().test(reason);
	}

	/** Return whether a fallback, a skip or an unlocked call replaces the exception. */
	boolean hasAlternative(Throwable reason) {
		return (reason instanceof LockBusyException || reason instanceof LockEngineException)
				&& (this.operation.fallback() != null || isBypassed((LockException) reason));
	}

	/** Call the fallback, skip the method or run it unlocked; else throw the reason. */
	@Nullable Object withoutLock(LockException reason) throws Throwable {
		if (this.operation.fallback() != null) {
			return this.operation.fallback().call(this.invocation, reason);
		}
		if (!isBypassed(reason)) {
			throw reason;
		}
		return (reason instanceof LockBusyException) ? this.operation.skipped() : proceed();
	}

}
