package io.leasehold.transaction;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.reactive.OpenTransaction;
import io.leasehold.reactive.ReactiveTransactions;
import io.r2dbc.spi.ConnectionFactory;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.r2dbc.connection.ConnectionHolder;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.reactive.TransactionContext;
import org.springframework.transaction.reactive.TransactionContextManager;

/**
 * Registrar of the commit guard at all {@link R2dbcTransactionManager}s. Their
 * {@code commit} is final, and their listeners have no access to the subscription.
 * Therefore the guard is part of the connections. A subscription finds its transaction by
 * them. Never proxied: the search for advice would create all advisors too early.
 * Thread-safe.
 */
public final class R2dbcCommitGuards
		implements ReactiveTransactions, BeanPostProcessor, SmartInitializingSingleton, AopInfrastructureBean {

	private static final Log logger = LogFactory.getLog(R2dbcCommitGuards.class);

	private final CreatedBeans beans;

	private final boolean refusesLost;

	private final Set<String> guarded = ConcurrentHashMap.newKeySet();

	/**
	 * Create a registrar.
	 * @param beans the application's beans
	 * @param refusesLost whether lost locks prevent a commit
	 */
	public R2dbcCommitGuards(BeanFactory beans, boolean refusesLost) {
		this.beans = new CreatedBeans(beans);
		this.refusesLost = refusesLost;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		guard(bean, beanName);
		return bean;
	}

	/** Guard the managers that were created before this object, and those of parents. */
	@Override
	public void afterSingletonsInstantiated() {
		for (CreatedBeans.Created manager : this.beans.ofType(ReactiveTransactionManager.class)) {
			if (!(manager.bean() instanceof ScopedObject) && !guard(manager.bean(), manager.name())) {
				logger.warn(("Reactive transaction manager '%s' is no R2dbcTransactionManager: its transactions commit"
						+ " even if a lock was lost, and a lock acquired inside one is released before the commit")
					.formatted(manager.name()));
			}
		}
	}

	private boolean guard(Object bean, String name) {
		if (bean instanceof R2dbcTransactionManager manager) {
			ConnectionFactory factory = manager.getConnectionFactory();
			if (factory != null && !(factory instanceof GuardedConnectionFactory)) {
				manager.setConnectionFactory(new GuardedConnectionFactory(factory, this.refusesLost));
			}
			this.guarded.add(name);
		}
		return this.guarded.contains(name);
	}

	@Override
	public Mono<OpenTransaction> current() {
		return !this.guarded.isEmpty()
				? TransactionContextManager.currentContext()
					.map(R2dbcCommitGuards::innermost)
					.onErrorReturn(NoTransactionException.class, OpenTransaction.NONE)
				: Mono.just(OpenTransaction.NONE);
	}

	/** Return the transaction that was begun last and whose connection is in use. */
	private static OpenTransaction innermost(TransactionContext context) {
		GuardedConnection innermost = null;
		if (context.isActualTransactionActive()) {
			for (Object resource : context.getResources().values()) {
				if (resource instanceof ConnectionHolder holder
						&& holder.getConnection() instanceof GuardedConnection connection
						&& connection.isInside(innermost)) {
					innermost = connection;
				}
			}
		}
		return (innermost != null) ? innermost.releases() : OpenTransaction.NONE;
	}

}
