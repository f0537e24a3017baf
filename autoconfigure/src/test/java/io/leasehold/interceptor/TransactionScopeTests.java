package io.leasehold.interceptor;

import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import io.leasehold.LockMode;
import io.leasehold.LockScope;
import io.leasehold.annotation.DistributedLock;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.jdbc.LeaseholdJdbcAutoConfiguration;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What scope {@code TRANSACTION} refuses at startup, and the order of its advice.
 */
class TransactionScopeTests {

	private static final String OUTSIDE = "Plain.pay has scope TRANSACTION, but its lock would be acquired before its transaction begins";

	private final ApplicationContextRunner jdbc = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LeaseholdAutoConfiguration.class, LeaseholdJdbcAutoConfiguration.class,
				DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class))
		.withPropertyValues("leasehold.engine=jdbc", "spring.datasource.generate-unique-name=true");

	@ParameterizedTest
	@ValueSource(classes = { WithLease.class, WithPermits.class, WithMinHold.class, WithMaxHold.class,
			WithLockDelay.class, WithLinger.class, Fenced.class })
	void attributesOfALeaseAreRefused(Class<?> bean) {
		String attribute = bean.getSimpleName().replace("With", "");
		String name = attribute.substring(0, 1).toLowerCase() + attribute.substring(1);
		Locked.runner(bean)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining(bean.getSimpleName() + ".pay has scope TRANSACTION and " + name + ","));
	}

	@Test
	void lateResultIsRefused() {
		Locked.runner(Late.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Late.pay has scope TRANSACTION, but its result may end after"));
	}

	@Test
	void engineWithoutTransactionsIsRefused() {
		Locked.runner(Plain.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Plain.pay")
				.hasMessageContaining("its locks are leases"));
	}

	@Test
	void sharedLockIsRefusedOnH2() {
		this.jdbc.withUserConfiguration(Shared.class)
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Shared.pay")
				.hasMessageContaining("H2 has no shared row locks"));
	}

	@Test
	void locksInAnotherDatabaseAreRefused() {
		this.jdbc.withUserConfiguration(OtherDatabase.class, Plain.class)
			.withPropertyValues("leasehold.jdbc.data-source=other", "leasehold.jdbc.initialize-schema=always")
			.run((context) -> Locked.refusal(context)
				.hasMessageContaining("Plain.pay")
				.hasMessageContaining("primary DataSource"));
	}

	@Test
	void lockIsAcquiredInsideTheTransactionOfItsMethod() {
		this.jdbc.withUserConfiguration(Plain.class)
			.run((context) -> assertThat(context.getBean(Plain.class).pay()).isEqualTo("paid"));
	}

	/** The lock would belong to the transaction of the caller, if there is one. */
	@Test
	@Fault(value = 151, engine = "jdbc")
	void lockOutsideTheTransactionOfItsMethodIsRefused() {
		outside(Plain.class).run((context) -> Locked.refusal(context).hasMessageContaining(OUTSIDE));
	}

	@Test
	@Fault(value = 151, engine = "jdbc")
	void lockOutsideTheTransactionOfALazyBeanIsRefused() {
		outside(LazyPlain.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatThrownBy(() -> context.getBean(Plain.class)).hasStackTraceContaining(OUTSIDE);
		});
	}

	/** An application whose transactions are configured after its locks. */
	private static ApplicationContextRunner outside(Class<?> bean) {
		return new ApplicationContextRunner()
			.withUserConfiguration(LeaseholdAutoConfiguration.class, LateTransactions.class, bean)
			.withConfiguration(AutoConfigurations.of(LeaseholdJdbcAutoConfiguration.class,
					DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class))
			.withPropertyValues("leasehold.engine=jdbc", "spring.datasource.generate-unique-name=true");
	}

	static class Plain {

		@Transactional
		@DistributedLock(key = "'a'", scope = LockScope.TRANSACTION)
		public String pay() {
			return "paid";
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyPlain {

		@Bean
		@Lazy
		Plain plain() {
			return new Plain();
		}

	}

	static class Shared {

		@DistributedLock(key = "'a'", scope = LockScope.TRANSACTION, mode = LockMode.SHARED)
		public void pay() {
		}

	}

	static class WithLease {

		@DistributedLock(key = "'a'", scope = LockScope.TRANSACTION, lease = "30s")
		public void pay() {
		}

	}

	static class WithPermits {

		@DistributedLock(key = "'a'", scope = LockScope.TRANSACTION, permits = "2")
		public void pay() {
		}

	}

	static class WithMinHold {

		@DistributedLock(key = "'a'", scope = LockScope.TRANSACTION, minHold = "1s")
		public void pay() {
		}

	}

	static class WithMaxHold {

		@DistributedLock(key = "'a'", scope = LockScope.TRANSACTION, maxHold = "1m")
		public void pay() {
		}

	}

	static class WithLockDelay {

		@DistributedLock(key = "'a'", scope = LockScope.TRANSACTION, lockDelay = "1s")
		public void pay() {
		}

	}

	static class WithLinger {

		@DistributedLock(key = "'a'", scope = LockScope.TRANSACTION, linger = "1s")
		public void pay() {
		}

	}

	static class Fenced {

		@DistributedLock(key = "'a'", scope = LockScope.TRANSACTION, fenced = true)
		public void pay() {
		}

	}

	static class Late {

		@DistributedLock(key = "'a'", scope = LockScope.TRANSACTION)
		public CompletableFuture<String> pay() {
			return CompletableFuture.completedFuture("paid");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OtherDatabase {

		@Bean(defaultCandidate = false)
		DataSource other() {
			return new DriverManagerDataSource("jdbc:h2:mem:other;DB_CLOSE_DELAY=-1");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class LateTransactions {

	}

}
