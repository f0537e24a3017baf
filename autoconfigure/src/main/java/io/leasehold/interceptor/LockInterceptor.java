package io.leasehold.interceptor;

import java.util.function.Supplier;

import io.leasehold.service.LockService;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * Method interceptor that runs annotated methods under their locks. Thread-safe.
 */
public final class LockInterceptor implements MethodInterceptor {

	private final LockOperationSource operations;

	private final Supplier<LockService> service;

	private final BodyThreads threads;

	/**
	 * Create an interceptor.
	 * @param service supplies the service that acquires locks, not before the first call
	 * @param threads threads that call methods whose result is a stage
	 */
	public LockInterceptor(LockOperationSource operations, Supplier<LockService> service, BodyThreads threads) {
		this.operations = operations;
		this.service = service;
		this.threads = threads;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		LockOperation operation = this.operations.find(invocation);
		if (operation == null) {
			return invocation.proceed();
		}
		LockCall call = new LockCall(operation, invocation, this.service.get(), this.threads);
		return operation.result().invoke(call);
	}

}
