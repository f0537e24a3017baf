package io.leasehold.interceptor;

import java.lang.reflect.Method;

import org.aopalliance.aop.Advice;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;

/**
 * Puts the lock's advice around annotated methods. Its order has to be lower than that of
 * the transaction's advisor, so that a lock is given back after the commit.
 */
public final class LockAdvisor extends AbstractPointcutAdvisor {

	private static final long serialVersionUID = 1L;

	private final transient Pointcut pointcut;

	private final transient Advice advice;

	/**
	 * Create an advisor.
	 * @param operations knows which methods are annotated
	 * @param interceptor the advice
	 * @param order place among the advisors of a bean
	 */
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

	/** Methods to which an annotation applies, wherever it stands. */
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
