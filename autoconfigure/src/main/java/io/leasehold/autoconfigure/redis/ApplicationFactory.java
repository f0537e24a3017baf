package io.leasehold.autoconfigure.redis;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.leasehold.autoconfigure.LockEngineConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.data.redis.connection.ReactiveRedisConnectionFactory;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The application's connection factory, whose servers the engine uses.
 *
 * @param bean name of the bean, for messages
 * @param factory the factory, without proxies
 */
record ApplicationFactory(String bean, Object factory) {

	private static final String PROPERTY = "leasehold.redis.connection-factory";

	/**
	 * Select the factory: the configured one, or the only one, or the primary one.
	 * @param configured name of the bean, or {@code null} if it is not configured
	 * @throws LockEngineConfigurationException if there is no such bean, or none is
	 * primary
	 */
	static ApplicationFactory select(ListableBeanFactory beans, @Nullable String configured) {
		Set<String> names = names(beans);
		if (configured != null && !names.contains(configured)) {
			throw new LockEngineConfigurationException(
					"leasehold.redis.connection-factory is '%s', but there is no connection factory of that name."
						.formatted(configured),
					"Set it to one of the beans %s.".formatted(names));
		}
		Object selected = (configured != null) ? beans.getBean(configured) : unique(beans);
		if (selected == null) {
			throw new LockEngineConfigurationException(
					"The Redis engine finds several connection factories %s, none of which is primary for all uses."
						.formatted(names),
					"Set %s to the bean whose servers keep the locks.".formatted(PROPERTY));
		}
		Object target = AopProxyUtils.getSingletonTarget(selected);
		return new ApplicationFactory((configured != null) ? configured : nameOf(selected, beans, names),
				(target != null) ? target : selected);
	}

	/** Return the names of all factories. Some are declared as reactive only. */
	private static Set<String> names(ListableBeanFactory beans) {
		Set<String> names = new LinkedHashSet<>();
		for (Class<?> type : new Class<?>[] { RedisConnectionFactory.class, ReactiveRedisConnectionFactory.class }) {
			names.addAll(List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type)));
		}
		return names;
	}

	private static @Nullable Object unique(ListableBeanFactory beans) {
		Object blocking = beans.getBeanProvider(RedisConnectionFactory.class).getIfUnique();
		boolean none = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans,
				ReactiveRedisConnectionFactory.class).length == 0;
		boolean same = none || beans.getBeanProvider(ReactiveRedisConnectionFactory.class).getIfUnique() == blocking;
		return same ? blocking : null;
	}

	/** Return the name of a factory, for messages. No other factory is created for it. */
	private static String nameOf(Object selected, BeanFactory beans, Set<String> names) {
		return names.stream()
			.filter((name) -> created(name, beans) == selected)
			.findFirst()
			.orElse(String.join(", ", names));
	}

	private static @Nullable Object created(String name, @Nullable BeanFactory beans) {
		if (!(beans instanceof ConfigurableBeanFactory present)) {
			return null;
		}
		Object singleton = present.getSingleton(name);
		return (singleton != null) ? singleton : created(name, present.getParentBeanFactory());
	}

	/** Return the failure that the engine cannot connect as this factory does. */
	LockEngineConfigurationException unsupported(String reason) {
		return new LockEngineConfigurationException(
				"The Redis engine cannot use the servers of the connection factory '%s': %s.".formatted(this.bean,
						reason),
				"Define a bean of type LettuceConnectionFactory that connects to a single server, sentinels or a cluster, "
						+ "with @Bean(defaultCandidate = false), and set %s to its name. Or choose another leasehold.engine."
							.formatted(PROPERTY));
	}

}
