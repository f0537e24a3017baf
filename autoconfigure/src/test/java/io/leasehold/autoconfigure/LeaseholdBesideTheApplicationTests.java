package io.leasehold.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.actuate.LeaseholdHealthAutoConfiguration;
import io.leasehold.engine.LockEngine;
import io.leasehold.test.contract.Fault;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications that have beans of the same names, other contexts, or a part of the
 * auto-configurations only.
 */
@Fault(168)
class LeaseholdBesideTheApplicationTests {

	private final ApplicationContextRunner runner = Leasehold.runner().withPropertyValues("leasehold.engine=local");

	@Test
	void applicationHasALockServiceOfItsOwn() {
		this.runner.withUserConfiguration(OwnBeans.class, Orders.class).run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(LockService.class);
			assertThat(context.getBean("lockAdvisor")).isEqualTo("of the application");
			assertThat(context.getBean(Orders.class).isLocked(42)).isTrue();
		});
	}

	/**
	 * Such a dependency could close a circle, as it would for a data source from a table.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "local", "jdbc" })
	void noBeanOfTheApplicationDependsOnOurs(String engine) {
		withoutOne(LeaseholdHealthAutoConfiguration.class)
			.withConfiguration(AutoConfigurations.of(JdbcTemplateAutoConfiguration.class,
					DataSourceInitializationAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=" + engine, "spring.datasource.generate-unique-name=true")
			.run((context) -> {
				ConfigurableListableBeanFactory beans = context.getBeanFactory();
				assertThat(context).hasSingleBean(JdbcTemplate.class);
				assertThat(Arrays.stream(beans.getBeanDefinitionNames())
					.filter((name) -> !name.startsWith("leasehold"))
					.map(beans::getBeanDefinition)
					.flatMap((bean) -> Stream.ofNullable(bean.getDependsOn()).flatMap(Arrays::stream)))
					.noneMatch((name) -> name.startsWith("leasehold"));
			});
	}

	@Test
	void closedChildContextReleasesNoLocksOfItsParentAndSiblings() {
		this.runner.run((parent) -> {
			HeldLock ofParent = locks(parent).acquire("parent");
			this.runner.withParent(parent).withUserConfiguration(Orders.class).run((sibling) -> {
				HeldLock ofSibling = locks(sibling).acquire("sibling");
				this.runner.withParent(parent).run((child) -> locks(child).acquire("child").close());
				assertThat(ofSibling.isValid()).isTrue();
				assertThat(sibling.getBean(Orders.class).isLocked(42)).isTrue();
				ofSibling.close();
			});
			assertThat(ofParent.isValid()).isTrue();
			locks(parent).acquire("child").close();
			ofParent.close();
		});
	}

	@Test
	void childContextWithItsOwnServiceStopsIt() {
		ApplicationContextRunner plain = new ApplicationContextRunner();
		plain.run((parent) -> this.runner.withParent(parent)
			.run((child) -> assertThat(child).hasSingleBean(LeaseholdLifecycle.class)));
	}

	@Test
	void applicationWithoutTheCommonPartHasNoOther() {
		withoutOne(LeaseholdAutoConfiguration.class)
			.withPropertyValues("leasehold.etcd.endpoints=127.0.0.1:1", "leasehold.redlock.nodes=127.0.0.1:1",
					"leasehold.zookeeper.connect-string=127.0.0.1:1", "leasehold.etcd.enabled=true",
					"leasehold.jdbc.enabled=true", "leasehold.local.enabled=true", "leasehold.memcached.enabled=true",
					"leasehold.redis.enabled=true", "leasehold.redlock.enabled=true",
					"leasehold.zookeeper.enabled=true")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(beansOfLeasehold(context)).isEmpty();
			});
	}

	@ParameterizedTest
	@MethodSource("otherParts")
	void applicationStartsWithoutAnyOtherPart(Class<?> excluded) {
		String engine = (excluded == LeaseholdLocalAutoConfiguration.class) ? "jdbc" : "local";
		withoutOne(excluded).withPropertyValues("leasehold.engine=" + engine)
			.run((context) -> locks(context).acquire("order:42").close());
	}

	static Stream<Class<?>> otherParts() {
		return parts().stream().filter((part) -> part != LeaseholdAutoConfiguration.class);
	}

	private static List<Class<?>> parts() {
		return ImportCandidates.load(AutoConfiguration.class, null)
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.leasehold.autoconfigure."))
			.<Class<?>>map((name) -> ClassUtils.resolveClassName(name, null))
			.toList();
	}

	private static ApplicationContextRunner withoutOne(Class<?> excluded) {
		Class<?>[] others = parts().stream().filter((part) -> part != excluded).toArray(Class<?>[]::new);
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(others))
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class,
					DataRedisAutoConfiguration.class, MetricsAutoConfiguration.class,
					ObservationAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class);
	}

	private static List<String> beansOfLeasehold(AssertableApplicationContext context) {
		return Arrays.stream(context.getBeanDefinitionNames())
			.filter((name) -> name.startsWith("leasehold") || name.startsWith("io.leasehold.autoconfigure."))
			.toList();
	}

	private static DistributedLocks locks(ApplicationContext context) {
		return context.getBean(DistributedLocks.class);
	}

	/** Has the name of a class of Leasehold. */
	static class LockService {

	}

	static class Orders {

		private final LockEngine engine;

		Orders(LockEngine engine) {
			this.engine = engine;
		}

		@DistributedLock(key = "'order:' + #id")
		boolean isLocked(long id) {
			return HeldLock.current().isValid() && this.engine.name().equals("local");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnBeans {

		@Bean
		LockService lockService() {
			return new LockService();
		}

		@Bean({ "lockAdvisor", "lockInterceptor", "lockMetrics", "lockInspector", "lockMember", "lockClock",
				"lockReleaseTiming", "lockOperationSource", "lockAnnotationValidator", "localLockEngine",
				"redisLockEngine", "jdbcLockEngine", "fencingGuard", "locksEndpoint", "commitGuardRegistrar" })
		String others() {
			return "of the application";
		}

	}

}
