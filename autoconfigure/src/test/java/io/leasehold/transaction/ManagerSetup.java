package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

import javax.sql.DataSource;

import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdLocalAutoConfiguration;
import io.leasehold.autoconfigure.fencing.LeaseholdFencingAutoConfiguration;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.data.transaction.ChainedTransactionManager;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

/**
 * Ways in which applications obtain their transaction manager.
 */
enum ManagerSetup {

	/** Spring Boot's, which rolls back after a failed commit. */
	JDBC((runner) -> runner.withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class,
			TransactionAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class))),

	/** Does not roll back after a failed commit. */
	PLAIN((runner) -> runner.withUserConfiguration(Plain.class)),

	ROLLING_BACK((runner) -> runner.withUserConfiguration(RollingBack.class)),

	WITHOUT_SYNCHRONIZATION((runner) -> runner.withUserConfiguration(WithoutSynchronization.class)),

	JPA((runner) -> runner
		.withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class,
				TransactionAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class))
		.withUserConfiguration(NoEntities.class)),

	JTA((runner) -> runner.withBean("transactionManager", JtaTransactionManager.class, JtaContract::narayana)),

	CHAINED((runner) -> runner.withUserConfiguration(Chained.class)),

	/** Created for a post-processor that precedes all others. */
	EARLY((runner) -> runner.withUserConfiguration(Plain.class).withUserConfiguration(Early.class)),

	/** Of a parent context, in which Leasehold is not configured. */
	PARENT((runner) -> runner),

	/** Wrapped by a post-processor in an object that supports no listeners. */
	WRAPPED((runner) -> runner.withUserConfiguration(Plain.class).withUserConfiguration(Wrapping.class)),

	/** Its listeners are replaced when it is initialized. */
	RELISTED((runner) -> runner.withBean("transactionManager", Relisted.class)),

	/** Created by a factory, at its first use. */
	LAZY_FACTORY((runner) -> runner.withUserConfiguration(LazyFactory.class));

	private final UnaryOperator<ApplicationContextRunner> configuration;

	ManagerSetup(UnaryOperator<ApplicationContextRunner> configuration) {
		this.configuration = configuration;
	}

	/** Return a runner of an application with this manager and the given database. */
	ApplicationContextRunner runner(UncertainDatabase database) {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class,
					LeaseholdLocalAutoConfiguration.class, LeaseholdFencingAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=local", "leasehold.lease=10m", "leasehold.wait-time=0s",
					"leasehold.fencing.initialize-schema=always");
		DataSource dataSource = (this == JTA)
				? new EnlistedDataSource(database.xaDataSource(), JtaContract.narayana().getTransactionManager())
				: database.dataSource();
		if (this != PARENT) {
			return this.configuration.apply(runner.withBean("dataSource", DataSource.class, () -> dataSource));
		}
		AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext();
		parent.registerBean("dataSource", DataSource.class, () -> dataSource);
		parent.register(Plain.class);
		parent.refresh();
		return runner.withParent(parent);
	}

	/** Return the managers that accept listeners. */
	static List<AbstractPlatformTransactionManager> abstractManagers(BeanFactory beans) {
		List<AbstractPlatformTransactionManager> managers = new ArrayList<>();
		beans.getBeanProvider(PlatformTransactionManager.class).forEach((manager) -> {
			Object target = (manager instanceof Wrapper wrapper) ? wrapper.target : manager;
			if (target instanceof AbstractPlatformTransactionManager one) {
				managers.add(one);
			}
		});
		return managers;
	}

	@Configuration(proxyBeanMethods = false)
	static class Plain {

		@Bean
		DataSourceTransactionManager transactionManager(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class RollingBack {

		@Bean
		DataSourceTransactionManager transactionManager(DataSource dataSource) {
			DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
			manager.setRollbackOnCommitFailure(true);
			return manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithoutSynchronization {

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
			return manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage(basePackages = "io.leasehold.none")
	static class NoEntities {

	}

	@Configuration(proxyBeanMethods = false)
	@SuppressWarnings("deprecation")
	static class Chained {

		@Bean
		JdbcTransactionManager first(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		JdbcTransactionManager other() {
			JdbcDataSource other = new JdbcDataSource();
			other.setUrl("jdbc:h2:mem:");
			return new JdbcTransactionManager(other);
		}

		@Bean
		@Primary
		ChainedTransactionManager transactionManager(JdbcTransactionManager first, JdbcTransactionManager other) {
			return new ChainedTransactionManager(other, first);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Early {

		@Bean
		static BeanPostProcessor first(PlatformTransactionManager manager) {
			return new First(manager);
		}

	}

	private record First(PlatformTransactionManager manager) implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Wrapping {

		@Bean
		static BeanPostProcessor wrapping() {
			return new WrappingPostProcessor();
		}

	}

	private static final class WrappingPostProcessor implements BeanPostProcessor, PriorityOrdered {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof PlatformTransactionManager manager) ? new Wrapper(manager) : bean;
		}

	}

	private record Wrapper(PlatformTransactionManager target) implements PlatformTransactionManager {

		@Override
		public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
			return this.target.getTransaction(definition);
		}

		@Override
		public void commit(TransactionStatus status) {
			this.target.commit(status);
		}

		@Override
		public void rollback(TransactionStatus status) {
			this.target.rollback(status);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyFactory {

		@Bean
		@Lazy
		FactoryBean<DataSourceTransactionManager> transactionManager(DataSource dataSource) {
			return new FactoryBean<>() {

				@Override
				public DataSourceTransactionManager getObject() {
					return new DataSourceTransactionManager(dataSource);
				}

				@Override
				public Class<?> getObjectType() {
					return DataSourceTransactionManager.class;
				}

			};
		}

	}

	static class Relisted extends DataSourceTransactionManager {

		Relisted(DataSource dataSource) {
			super(dataSource);
		}

		@Override
		public void afterPropertiesSet() {
			super.afterPropertiesSet();
			setTransactionExecutionListeners(List.of());
		}

	}

}
