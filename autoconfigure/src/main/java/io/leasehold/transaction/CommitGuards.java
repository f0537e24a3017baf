package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Registrar of the commit guard at all transaction managers that support listeners. Most
 * are guarded when they are created, before another post-processor wraps them, also those
 * that a factory creates later. Those that were created earlier, or by a parent context,
 * are guarded after startup. Never proxied: the search for advice would create all
 * advisors too early. Thread-safe.
 */
public final class CommitGuards implements BeanPostProcessor, SmartInitializingSingleton, AopInfrastructureBean {

	private static final Log logger = LogFactory.getLog(CommitGuards.class);

	private final CreatedBeans beans;

	private final boolean refusesLost;

	/** Names of the managers that were guarded at their creation. */
	private final Set<String> guarded = ConcurrentHashMap.newKeySet();

	private volatile @Nullable Found found;

	/**
	 * Create a registrar.
	 * @param beans the application's beans
	 * @param refusesLost whether lost locks prevent a commit; stale tokens always do
	 */
	public CommitGuards(BeanFactory beans, boolean refusesLost) {
		this.beans = new CreatedBeans(beans);
		this.refusesLost = refusesLost;
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
			CommitGuard.addTo(manager, this.refusesLost);
			this.guarded.add(beanName);
		}
		return bean;
	}

	/** Products of factories are not initialized. */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof PlatformTransactionManager) {
			guard(bean, beanName);
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		guardAll().forEach((name) -> logger
			.warn(("Transaction manager '%s' does not support listeners: transactions that begin under a lock commit"
					+ " even if the lock is lost, and a lock acquired inside its transaction may be released before the"
					+ " commit")
				.formatted(name)));
	}

	/**
	 * Guard the managers of this context and its ancestors that exist and are not guarded
	 * yet.
	 * @return the names of managers that do not support listeners
	 */
	List<String> guardAll() {
		List<String> unguarded = new ArrayList<>();
		for (CreatedBeans.Created manager : existing()) {
			if (!guard(manager.bean(), manager.name())) {
				unguarded.add(manager.name());
			}
		}
		return unguarded;
	}

	/** Search again only after new singletons: a search examines each definition. */
	private List<CreatedBeans.Created> existing() {
		int singletons = this.beans.count();
		Found last = this.found;
		if (last == null || last.singletons() != singletons) {
			last = new Found(singletons, this.beans.ofType(PlatformTransactionManager.class));
			this.found = last;
		}
		return last.managers();
	}

	/** Guard a manager; the target of a scoped proxy is guarded at its creation. */
	private boolean guard(Object manager, String name) {
		if (manager instanceof ConfigurableTransactionManager configurable && !(manager instanceof ScopedObject)) {
			CommitGuard.addTo(configurable, this.refusesLost);
			return true;
		}
		return manager instanceof ScopedObject || this.guarded.contains(name);
	}

	/** Managers that existed when there were so many singletons. */
	private record Found(int singletons, List<CreatedBeans.Created> managers) {
	}

}
