package io.leasehold.interceptor;

import java.util.function.Supplier;

import io.leasehold.service.LockService;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Method interceptor that runs annotated methods under their locks. Thread-safe.
 *
 * @param service supplies the service that acquires locks, not before the first call
 * @param threads threads that call methods whose result is a stage
 * @param onCancel effect of a cancelled subscription
 */
public record LockInterceptor(LockOperationSource operations, Supplier<LockService> service, BodyThreads threads,
		OnCancel onCancel) implements MethodInterceptor {

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockOperation operation = this.operations.find(invocation);
		if (operation == null) {
			throw new IllegalStateException(
					"Method '%s' has the lock's advice, but no @DistributedLock: the call would run without a lock. Add the advice by a LockAdvisor, which selects annotated methods."
						.formatted(invocation.getMethod()));
		}
		LockCall call = new LockCall(operation, invocation, this.service.get(), this.threads, this.onCancel);
		return operation.result().invoke(call);
	}

}
