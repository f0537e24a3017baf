package io.leasehold.autoconfigure;

import io.leasehold.transaction.CommitGuard;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Registrar of the commit guard at every transaction manager that supports listeners.
 */
class CommitGuardRegistrar implements BeanPostProcessor {

	private static final Log logger = LogFactory.getLog(CommitGuardRegistrar.class);

	private final boolean refusesLost;

	CommitGuardRegistrar(boolean refusesLost) {
		this.refusesLost = refusesLost;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof PlatformTransactionManager) {
			if (bean instanceof ConfigurableTransactionManager manager) {
				CommitGuard.addTo(manager, this.refusesLost);
			}
			else {
				logger.warn(
						("Transaction manager '%s' does not support listeners: transactions that begin under a lock commit"
								+ " even if the lock is lost")
							.formatted(beanName));
			}
		}
		return bean;
	}

}
