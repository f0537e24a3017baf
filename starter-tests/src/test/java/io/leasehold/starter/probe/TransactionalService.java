package io.leasehold.starter.probe;

import java.util.concurrent.Callable;

import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Service that reports whether a transaction is active.
 */
class TransactionalService implements Callable<Object> {

	@Override
	@Transactional
	public Object call() {
		return TransactionSynchronizationManager.isActualTransactionActive();
	}

}
