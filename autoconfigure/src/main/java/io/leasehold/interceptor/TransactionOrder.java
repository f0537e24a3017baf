package io.leasehold.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

import io.leasehold.LockScope;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Comparison of the order of the lock's advice with that of the transaction's, if there
 * is one. It is found by its bean name, so spring-tx stays optional.
 */
record TransactionOrder(@Nullable PointcutAdvisor transactions, int lockOrder) {

	private static final String ADVISOR = "org.springframework.transaction.config.internalTransactionAdvisor";

	static TransactionOrder of(ListableBeanFactory beans, int lockOrder) {
		Object advisor = beans.containsBean(ADVISOR) ? beans.getBean(ADVISOR) : null;
		return new TransactionOrder((advisor instanceof PointcutAdvisor known) ? known : null, lockOrder);
	}

	/** Check that a method's lease is released after its transaction. */
	void check(Method method, LockAnnotation annotation) {
		if (this.transactions instanceof Ordered ordered && ordered.getOrder() <= this.lockOrder
				&& isTransactional(this.transactions, LockScope.METHOD, method, annotation)) {
			throw annotation.invalid(
					"would release its lock before its transaction is committed: the order of the lock's advice is %s, that of the transaction's %s"
						.formatted(this.lockOrder, ordered.getOrder()),
					(ordered.getOrder() == Ordered.HIGHEST_PRECEDENCE)
							? "Set @EnableTransactionManagement(order = ...) to a value above that of the lock's advice."
							: "Set leasehold.order to a value below %s.".formatted(ordered.getOrder()));
		}
	}

	/**
	 * Check that a proxy acquires the locks of transactions after these have begun. The
	 * order of its advisors depends on their registration if their numbers are equal.
	 */
	void checkProxy(Object bean, Map<Method, LockAnnotation> locked) {
		PointcutAdvisor known = this.transactions;
		if (known == null || locked.isEmpty() || !(bean instanceof Advised proxy)) {
			return;
		}
		List<Advisor> advisors = List.of(proxy.getAdvisors());
		List<Advisor> outside = advisors.subList(0, Math.max(0, advisors.indexOf(known)));
		if (outside.stream().noneMatch(TransactionOrder::isOfTransactions)) {
			return;
		}
		locked.forEach((method, annotation) -> {
			if (isTransactional(known, LockScope.TRANSACTION, method, annotation)) {
				throw annotation.invalid(
						"has scope TRANSACTION, but its lock would be acquired before its transaction begins",
						"Set @EnableTransactionManagement(order = Ordered.LOWEST_PRECEDENCE - 1).");
			}
		});
	}

	private static boolean isOfTransactions(Advisor advisor) {
		return advisor instanceof LockAdvisor lock && lock.scope() == LockScope.TRANSACTION;
	}

	/** Return whether a method has a lock of a scope and a transaction. */
	private static boolean isTransactional(PointcutAdvisor transactions, LockScope scope, Method method,
			LockAnnotation annotation) {
		Pointcut pointcut = transactions.getPointcut();
		return annotation.isOf(scope) && AopUtils.canApply(pointcut, annotation.type())
				&& pointcut.getMethodMatcher().matches(method, annotation.type());
	}

}
