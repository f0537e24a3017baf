package io.leasehold.autoconfigure;

import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.util.StringUtils;

/**
 * Selection of the executor that runs methods with an asynchronous result.
 */
final class BodyExecutors {

	private BodyExecutors() {
	}

	/** Fail startup if the configured executor is missing, or is no executor. */
	static void check(LeaseholdProperties.Async properties, BeanFactory beans) {
		String name = properties.executor();
		if (StringUtils.hasText(name) && !beans.containsBean(name)) {
			throw new InvalidConfigurationPropertyValueException("leasehold.async.executor", name,
					"There is no Executor bean of this name.");
		}
		Class<?> type = StringUtils.hasText(name) ? beans.getType(name, false) : null;
		// A declared interface, such as TaskScheduler, may hide an executor
		if (type != null && !Executor.class.isAssignableFrom(type) && !type.isInterface()) {
			throw new InvalidConfigurationPropertyValueException("leasehold.async.executor", name,
					"The bean of this name is not an Executor, but of type %s.".formatted(type.getName()));
		}
	}

	/**
	 * Return the executor, or {@code null} if Leasehold has to create its own. That of
	 * the application is no default: if all its threads wait for results, no body could
	 * run.
	 */
	static @Nullable Executor find(LeaseholdProperties.Async properties, BeanFactory beans, Environment environment) {
		String name = properties.executor();
		if (StringUtils.hasText(name)) {
			return beans.getBean(name, Executor.class);
		}
		if (Threading.VIRTUAL.isActive(environment)) {
			SimpleAsyncTaskExecutor virtual = new SimpleAsyncTaskExecutor("leasehold-body-");
			virtual.setVirtualThreads(true);
			return virtual;
		}
		return null;
	}

}
