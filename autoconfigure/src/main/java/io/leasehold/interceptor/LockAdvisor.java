package io.leasehold.interceptor;

import java.lang.reflect.Method;

import io.leasehold.LockScope;
import org.aopalliance.aop.Advice;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Advisor that adds the lock's advice to annotated methods of one scope. The order of
 * leases must be lower than that of the transaction's advisor, so that a lock is released
 * after the commit. The locks of transactions are acquired inside it.
 */
public final class LockAdvisor extends AbstractPointcutAdvisor implements ScopedAdvisor {

	private static final long serialVersionUID = 1L;

	private final LockScope scope;

	private final transient Pointcut pointcut;

	private final transient Advice advice;

	public LockAdvisor(LockOperationSource operations, LockInterceptor interceptor, LockScope scope, int order) {
		this.scope = scope;
		this.pointcut = new AnnotatedMethods(operations.methods(), scope);
		this.advice = interceptor;
		setOrder(order);
	}

	@Override
	public LockScope scope() {
		return this.scope;
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	/** Methods to which an annotation of a scope applies, wherever it is declared. */
	private static final class AnnotatedMethods extends StaticMethodMatcherPointcut implements ClassFilter {

		private final LockedMethods methods;

		private final LockScope scope;

		AnnotatedMethods(LockedMethods methods, LockScope scope) {
			this.methods = methods;
			this.scope = scope;
			setClassFilter(this);
		}

		@Override
		public boolean matches(Class<?> type) {
			return this.methods.areIn(type);
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			LockAnnotation annotation = LockAnnotation.find(method, targetClass);
			return annotation != null && annotation.isOf(this.scope);
		}

		/** Contexts share the classes of their proxies if the texts are equal. */
		@Override
		public String toString() {
			return "@DistributedLock of scope " + this.scope;
		}

	}

}
