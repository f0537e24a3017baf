package io.leasehold.interceptor;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.CompletableFuture;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.config.TaskManagementConfigUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With {@code @EnableAsync(mode = ASPECTJ)}, the code that begins a thread is woven into
 * the class of the bean, behind the proxy: the lock would be released when the thread has
 * begun.
 */
@Fault(85)
class AsyncByAspectJTests {

	@ParameterizedTest
	@ValueSource(classes = { OnMethod.class, OnClass.class, Inherited.class, Stage.class })
	void asynchronousMethodFailsStartup(Class<?> bean) {
		Locked.runner(bean, Woven.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining(bean.getSimpleName() + ".run is @Async by AspectJ"));
		Locked.runner(bean).run((context) -> assertThat(context).hasNotFailed());
	}

	/** AspectJ knows neither annotations of interfaces nor composed ones. */
	@ParameterizedTest
	@ValueSource(classes = { OnInterface.class, Composed.class, PlainResult.class, Plain.class })
	void otherMethodIsAccepted(Class<?> bean) {
		Locked.runner(bean, Woven.class).run((context) -> assertThat(context).hasNotFailed());
	}

	/** Has the aspect's bean, which is all that the library sees of it. */
	@Configuration(proxyBeanMethods = false)
	static class Woven {

		@Bean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME)
		Object aspect() {
			return new Object();
		}

	}

	static class OnMethod {

		@Async
		@DistributedLock(key = "'k'")
		public void run() {
		}

	}

	@Async
	static class OnClass {

		@DistributedLock(key = "'k'")
		public void run() {
		}

	}

	interface Asynchronous {

		@Async
		void run();

	}

	static class OnInterface implements Asynchronous {

		@Override
		@DistributedLock(key = "'k'")
		public void run() {
		}

	}

	@Async
	@DistributedLock(key = "'k'")
	@Retention(RetentionPolicy.RUNTIME)
	@interface Background {

	}

	static class Composed {

		@Background
		public void run() {
		}

	}

	static class Inherited extends OnMethod {

	}

	@Async
	static class PlainResult {

		@DistributedLock(key = "'k'")
		public String run() {
			return "";
		}

	}

	static class Stage {

		@Async
		@DistributedLock(key = "'k'")
		public CompletableFuture<String> run() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class Plain {

		@DistributedLock(key = "'k'")
		public void run() {
		}

	}

}
