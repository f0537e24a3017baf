package io.leasehold.transaction;

import java.util.concurrent.Executor;

import io.leasehold.service.ReleaseTiming;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Lets the release of a lock that was taken inside a transaction wait for the completion
 * of that transaction, the one active at the acquisition: what others may do next is what
 * it committed. Suspension, savepoints and transactions of its own that begin inside do
 * not end it. Without a transaction, or one without synchronization, a release takes
 * place at once.
 */
public final class TransactionalReleaseTiming implements ReleaseTiming {

	@Override
	public Executor releases() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()) {
			return IMMEDIATE.releases();
		}
		DeferredReleases releases = new DeferredReleases();
		TransactionSynchronizationManager.registerSynchronization(releases);
		return releases;
	}

}
