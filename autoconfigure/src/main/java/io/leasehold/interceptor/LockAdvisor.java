package io.leasehold.interceptor;

import java.lang.reflect.Method;

import org.aopalliance.aop.Advice;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Advisor that adds the lock's advice to annotated methods. Its order must be lower than
 * that of the transaction's advisor, so that a lock is released after the commit.
 */
public final class LockAdvisor extends AbstractPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final transient Pointcut pointcut;

	private final transient Advice advice;

	public LockAdvisor(LockOperationSource operations, LockInterceptor interceptor, int order) {
		this.pointcut = new AnnotatedMethods(operations.methods());
		this.advice = interceptor;
		setOrder(order);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	/** Methods to which an annotation applies, wherever it is declared. */
	private static final class AnnotatedMethods extends StaticMethodMatcherPointcut {

		AnnotatedMethods(LockedMethods methods) {
			setClassFilter(methods::areIn);
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return LockedMethods.contains(method, targetClass);
		}

	}

}
