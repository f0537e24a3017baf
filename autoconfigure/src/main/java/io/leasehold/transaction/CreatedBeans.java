package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Singletons of a context and its ancestors. A search creates none. Thread-safe.
 */
record CreatedBeans(BeanFactory beans) {

	/** Return how many singletons have been created. */
	int count() {
		return factories().stream().mapToInt(ConfigurableListableBeanFactory::getSingletonCount).sum();
	}

	/** Return the singletons of a type that have been created. */
	List<Created> ofType(Class<?> type) {
		List<Created> found = new ArrayList<>();
		for (ConfigurableListableBeanFactory factory : factories()) {
			for (String name : factory.getBeanNamesForType(type, false, false)) {
				if (factory.containsSingleton(name)) {
					found.add(new Created(name, factory.getBean(name)));
				}
			}
		}
		return found;
	}

	private List<ConfigurableListableBeanFactory> factories() {
		List<ConfigurableListableBeanFactory> factories = new ArrayList<>(2);
		BeanFactory factory = this.beans;
		while (factory instanceof ConfigurableListableBeanFactory listable) {
			factories.add(listable);
			factory = listable.getParentBeanFactory();
		}
		return factories;
	}

	/** Bean and its name, which a bean of another context may share. */
	record Created(String name, Object bean) {
	}

}
