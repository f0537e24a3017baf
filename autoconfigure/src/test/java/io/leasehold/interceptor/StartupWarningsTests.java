package io.leasehold.interceptor;

import io.leasehold.annotation.DistributedLock;
import io.leasehold.test.contract.Fault;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the warnings of annotated methods that run without their lock, or share it.
 */
@ExtendWith(OutputCaptureExtension.class)
class StartupWarningsTests {

	/** Spring calls such a method before there is a proxy. */
	@Fault(132)
	@Test
	void annotatedMethodOfTheLifecycleIsWarnedOf(CapturedOutput output) {
		start(Initializing.class, InterfaceInitializing.class);
		assertThat(output).contains("Initializing.load is called by Spring on the bean itself (@PostConstruct)")
			.contains(
					"InterfaceInitializing.afterPropertiesSet is called by Spring on the bean itself (InitializingBean)");
	}

	@Fault(132)
	@Test
	void annotatedMethodsOfTheEndAreWarnedOf(CapturedOutput output) {
		start(Ending.class, InterfaceEnding.class);
		assertThat(output).contains("Ending.stop is called by Spring on the bean itself (@PreDestroy)")
			.contains("InterfaceEnding.destroy is called by Spring on the bean itself (DisposableBean)");
	}

	@Fault(132)
	@Test
	void annotatedMethodsOfABeanDefinitionAreWarnedOf(CapturedOutput output) {
		start(Definitions.class, Closing.class);
		assertThat(output).contains("Device.open is called by Spring on the bean itself (its initMethod)")
			.contains("Device.shut is called by Spring on the bean itself (its destroyMethod)")
			.contains("Pool.shutdown is called by Spring on the bean itself (its destroyMethod)")
			.contains("Closing.close is called by Spring on the bean itself (its destroyMethod)")
			.doesNotContain("Device.close is called by Spring");
	}

	@Fault(132)
	@Test
	void annotatedBeanMethodIsRejected() {
		for (Class<?> type : new Class<?>[] { LockedBeanMethod.class, LockedConfiguration.class }) {
			Locked.runner(type)
				.run((context) -> Locked.refusal(context)
					.hasMessageContaining("is a @Bean method, so its lock would only cover the creation of the bean"));
		}
	}

	@Test
	void methodsThatOnlyLookLikeTheLifecycleAreNotWarnedOf(CapturedOutput output) {
		start(LooksAlike.class, Overloading.class, WholeInitializing.class);
		assertThat(output).doesNotContain("is called by Spring");
	}

	@Test
	void keysWithoutAPrefixOnTwoBeansAreWarnedOf(CapturedOutput output) {
		start(Orders.class, Customers.class, Prefixed.class);
		assertThat(output).containsPattern("Keys without a prefix are the same lock where their values are equal:"
				+ " \\S+Customers.rename \\(\"#customer.id\"\\), \\S+Orders.(ship \\(\"#id\"|cancel \\(\"#p0\")\\)\\.");
		assertThat(output).doesNotContain("Prefixed");
	}

	/**
	 * Each of these beans has one such key: the second one is warned of, in any order.
	 */
	@Test
	void oneKeyWithoutAPrefixOnEachOfTwoBeansIsWarnedOf(CapturedOutput output) {
		start(Customers.class, Invoices.class);
		assertThat(output).containsOnlyOnce("Keys without a prefix")
			.contains("Customers.rename (\"#customer.id\"), ")
			.contains("Invoices.send (\"#id\").");
	}

	@Test
	void keysWithoutAPrefixOnOneBeanAreNot(CapturedOutput output) {
		start(Orders.class, Prefixed.class);
		assertThat(output).doesNotContain("without a prefix");
	}

	private static void start(Class<?>... beans) {
		Locked.runner(beans).run((context) -> assertThat(context).hasNotFailed());
	}

	@Configuration(proxyBeanMethods = false)
	static class Definitions {

		@Bean(initMethod = "open", destroyMethod = "shut")
		Device device() {
			return new Device();
		}

		@Bean
		Pool pool() {
			return new Pool();
		}

	}

	@Configuration
	static class LockedBeanMethod {

		@Bean
		@DistributedLock(key = "'pool'")
		Pool pool() {
			return new Pool();
		}

	}

	@Configuration
	@DistributedLock(key = "'pool'")
	static class LockedConfiguration {

		@Bean
		public Pool pool() {
			return new Pool();
		}

	}

	static class Device {

		@DistributedLock(key = "'device'")
		public void open() {
		}

		@DistributedLock(key = "'device'")
		public void shut() {
		}

		@DistributedLock(key = "'device'")
		public void close() {
		}

	}

	static class Pool {

		@DistributedLock(key = "'pool'")
		public void shutdown() {
		}

	}

	static class Closing implements AutoCloseable {

		@Override
		@DistributedLock(key = "'closing'")
		public void close() {
		}

	}

	static class Initializing {

		@PostConstruct
		@DistributedLock(key = "'load'")
		public void load() {
		}

	}

	static class InterfaceInitializing implements InitializingBean {

		@Override
		@DistributedLock(key = "'load'")
		public void afterPropertiesSet() {
		}

	}

	static class Ending {

		@PreDestroy
		@DistributedLock(key = "'stop'")
		public void stop() {
		}

	}

	static class InterfaceEnding implements DisposableBean {

		@Override
		@DistributedLock(key = "'stop'")
		public void destroy() {
		}

	}

	static class LooksAlike {

		@DistributedLock(key = "'load'")
		public void afterPropertiesSet() {
		}

		@DistributedLock(key = "'stop'")
		public void destroy() {
		}

	}

	static class Overloading implements InitializingBean, DisposableBean {

		@Override
		public void afterPropertiesSet() {
		}

		@Override
		public void destroy() {
		}

		@DistributedLock(key = "'load'")
		public void afterPropertiesSet(String region) {
		}

		@DistributedLock(key = "'stop'")
		public void destroy(String region) {
		}

		@DistributedLock(key = "'other'")
		public void other() {
		}

	}

	@DistributedLock(key = "'whole'")
	static class WholeInitializing {

		@PostConstruct
		public void load() {
		}

	}

	static class Orders {

		@DistributedLock(key = "#id")
		public void ship(long id) {
		}

		@DistributedLock(key = "#p0")
		public void cancel(long id) {
		}

	}

	static class Customers {

		@DistributedLock(key = "#customer.id")
		public void rename(Customer customer) {
		}

	}

	static class Invoices {

		@DistributedLock(key = "#id")
		public void send(long id) {
		}

	}

	static class Prefixed {

		@DistributedLock(key = "'customer:' + #id")
		public void forget(long id) {
		}

		@DistributedLock(key = "#target.class.name")
		public void all() {
		}

	}

	static class Customer {

		public long getId() {
			return 1;
		}

	}

}
