package io.leasehold.transaction;

import java.util.function.Consumer;

import io.leasehold.service.ReleaseTiming;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Release timing that defers the release of a lock until the transaction active at the
 * acquisition has completed: the next owner acts on committed data. Suspension,
 * savepoints and inner transactions do not complete it. Without a transaction, or without
 * synchronization, a release is immediate.
 */
public final class TransactionalReleaseTiming implements ReleaseTiming {

	private final boolean guarded;

	private final Consumer<String> warning = new OpenTransactionWarning();

	/**
	 * Create a timing.
	 * @param guarded whether a transaction is rolled back if a lock acquired inside it
	 * was lost
	 */
	public TransactionalReleaseTiming(boolean guarded) {
		this.guarded = guarded;
	}

	private static boolean isSynchronized() {
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive();
	}

	/** A transaction that was committed stays bound to the thread for a while. */
	@Override
	public boolean isTransactionOpen() {
		if (!isSynchronized()) {
			return false;
		}
		GuardedTransaction transaction = GuardedTransaction.current();
		return transaction == null || !transaction.isCommitted();
	}

	@Override
	public boolean isTransactionOf(Object resource) {
		GuardedTransaction transaction = isSynchronized() ? GuardedTransaction.current() : null;
		return transaction == null || transaction.isOf(resource);
	}

	@Override
	public void refuseCommit(RuntimeException reason) {
		GuardedTransaction transaction = isSynchronized() ? GuardedTransaction.current() : null;
		if (transaction != null) {
			transaction.refuse(reason);
		}
	}

	@Override
	public Releases releases() {
		if (!isSynchronized()) {
			return IMMEDIATE.releases();
		}
		GuardedTransaction transaction = GuardedTransaction.current();
		boolean committed = transaction != null && transaction.isCommitted();
		DeferredReleases releases = new DeferredReleases(this.guarded, transaction, committed ? (name) -> {
		} : this.warning);
		if (transaction != null) {
			transaction.lockedInside(releases);
		}
		TransactionSynchronizationManager.registerSynchronization(releases);
		return releases;
	}

}
