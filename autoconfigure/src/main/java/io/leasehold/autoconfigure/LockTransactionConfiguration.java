package io.leasehold.autoconfigure;

import io.leasehold.service.ReleaseTiming;
import io.leasehold.transaction.TransactionalReleaseTiming;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Releases that wait for the end of a transaction, where there are transactions.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(TransactionSynchronizationManager.class)
class LockTransactionConfiguration {

	@Bean
	@ConditionalOnMissingBean(ReleaseTiming.class)
	TransactionalReleaseTiming transactionalReleaseTiming() {
		return new TransactionalReleaseTiming();
	}

}
