package io.leasehold.autoconfigure;

import io.leasehold.service.ReleaseTiming;
import io.leasehold.transaction.CommitGuard;
import io.leasehold.transaction.CommitGuards;
import io.leasehold.transaction.TransactionalReleaseTiming;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Configuration of locks with transactions.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(TransactionSynchronizationManager.class)
@ImportRuntimeHints(CommitGuard.RollbackHints.class)
class LockTransactionConfiguration {

	@Bean
	@ConditionalOnMissingBean(ReleaseTiming.class)
	TransactionalReleaseTiming leaseholdTransactionalReleaseTiming(LeaseholdProperties properties) {
		return new TransactionalReleaseTiming(properties.transaction().commitGuard());
	}

	/** Binds the properties, because their bean would be created too early. */
	@Bean
	static CommitGuards leaseholdCommitGuards(BeanFactory beans, Environment environment) {
		return new CommitGuards(beans,
				environment.getProperty("leasehold.transaction.commit-guard", Boolean.class, true));
	}

}
