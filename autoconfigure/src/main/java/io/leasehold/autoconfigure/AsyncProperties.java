package io.leasehold.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties of the threads that run methods with an asynchronous result.
 *
 * @param executor Name of the Executor bean that runs annotated methods which return a
 * CompletionStage. When not set, virtual threads if they are enabled, otherwise a bounded
 * pool of Leasehold. No thread of this executor may wait for such a method.
 * @param maxThreads Maximum number of threads in Leasehold's pool for annotated methods
 * that return a CompletionStage.
 */
@ConfigurationProperties("leasehold.async")
record AsyncProperties(@Nullable String executor, @DefaultValue("64") int maxThreads) implements InitializingBean {

	@Override
	public void afterPropertiesSet() {
		if (this.maxThreads < 1) {
			throw new InvalidConfigurationPropertyValueException("leasehold.async.max-threads", this.maxThreads,
					"It must be at least 1.");
		}
	}

}
