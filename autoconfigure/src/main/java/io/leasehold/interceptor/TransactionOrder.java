package io.leasehold.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.Ordered;

/**
 * Comparison of the order of the lock's advice with that of the transaction's, if there
 * is one. It is found by its bean name, so spring-tx stays optional.
 */
final class TransactionOrder {

	private static final String ADVISOR = "org.springframework.transaction.config.internalTransactionAdvisor";

	private final @Nullable PointcutAdvisor transactions;

	private final int lockOrder;

	private TransactionOrder(@Nullable PointcutAdvisor transactions, int lockOrder) {
		this.transactions = transactions;
		this.lockOrder = lockOrder;
	}

	static TransactionOrder of(ListableBeanFactory beans, int lockOrder) {
		Object advisor = beans.containsBean(ADVISOR) ? beans.getBean(ADVISOR) : null;
		return new TransactionOrder((advisor instanceof PointcutAdvisor known) ? known : null, lockOrder);
	}

	void check(Method method, Class<?> type) {
		if (this.transactions instanceof Ordered ordered && ordered.getOrder() <= this.lockOrder
				&& AopUtils.canApply(this.transactions.getPointcut(), type)
				&& this.transactions.getPointcut().getMethodMatcher().matches(method, type)) {
			throw new InvalidLockAnnotationException(type, method,
					"would release its lock before its transaction is committed: the order of the lock's advice is %d, that of the transaction's %d"
						.formatted(this.lockOrder, ordered.getOrder()),
					"Set leasehold.order to a value below %d.".formatted(ordered.getOrder()), null);
		}
	}

}
