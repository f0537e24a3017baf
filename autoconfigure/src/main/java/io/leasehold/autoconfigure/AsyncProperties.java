package io.leasehold.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Properties of the threads that run methods with an asynchronous result.
 */
@ConfigurationProperties("leasehold.async")
class AsyncProperties implements InitializingBean {

	/**
	 * Name of the Executor bean that runs annotated methods which return a
	 * CompletionStage. When not set, 'applicationTaskExecutor' if it exists, otherwise
	 * virtual threads if they are enabled, otherwise a bounded pool of Leasehold.
	 */
	private @Nullable String executor;

	/**
	 * Maximum number of threads in Leasehold's pool for annotated methods that return a
	 * CompletionStage.
	 */
	private int maxThreads = 64;

	@Override
	public void afterPropertiesSet() {
		if (this.maxThreads < 1) {
			throw new InvalidConfigurationPropertyValueException("leasehold.async.max-threads", this.maxThreads,
					"It must be at least 1.");
		}
	}

	public @Nullable String getExecutor() {
		return this.executor;
	}

	public void setExecutor(@Nullable String executor) {
		this.executor = executor;
	}

	public int getMaxThreads() {
		return this.maxThreads;
	}

	public void setMaxThreads(int maxThreads) {
		this.maxThreads = maxThreads;
	}

}
