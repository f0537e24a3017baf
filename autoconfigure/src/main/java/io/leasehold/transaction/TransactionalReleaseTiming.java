package io.leasehold.transaction;

import java.util.function.Consumer;

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

	private final boolean guarded;

	private final Consumer<String> warning = new OpenTransactionWarning();

	/**
	 * Create a timing.
	 * @param guarded whether a transaction is rolled back if a lock that was taken inside
	 * it was lost
	 */
	public TransactionalReleaseTiming(boolean guarded) {
		this.guarded = guarded;
	}

	@Override
	public Releases releases() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()
				|| !TransactionSynchronizationManager.isSynchronizationActive()) {
			return IMMEDIATE.releases();
		}
		GuardedTransaction transaction = GuardedTransaction.current();
		if (transaction != null) {
			transaction.lockedInside();
		}
		boolean committed = transaction != null && transaction.isCommitted();
		DeferredReleases releases = new DeferredReleases(this.guarded, committed ? (name) -> {
		} : this.warning);
		TransactionSynchronizationManager.registerSynchronization(releases);
		return releases;
	}

}
