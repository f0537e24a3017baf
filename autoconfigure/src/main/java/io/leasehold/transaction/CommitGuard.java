package io.leasehold.transaction;

import io.leasehold.HeldLockScope;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Rolls a transaction back instead of committing it if a lock was lost under which the
 * thread runs, however far out it was taken, or a fencing token is stale: the last look
 * before the commit itself, after all synchronizations. Savepoints are left to the
 * transaction that they belong to. Locks that were taken inside the transaction are
 * looked at by {@link TransactionalReleaseTiming}. Thread-safe.
 */
public final class CommitGuard implements TransactionExecutionListener {

	private final boolean refusesLost;

	/**
	 * Create a guard.
	 * @param refusesLost whether lost locks count; stale fencing tokens always do
	 */
	public CommitGuard(boolean refusesLost) {
		this.refusesLost = refusesLost;
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		if (transaction.isNested()) {
			return;
		}
		if (this.refusesLost) {
			HeldLockScope.throwIfAnyLost();
		}
		HeldLockScope.beforeCommit();
	}

}
