package io.leasehold.transaction;

import java.util.function.Consumer;

import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.LockEvent;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Contract of locks that are part of a transaction with savepoints, on each database.
 */
abstract class SavepointContract extends TransactionScopeContract {

	/**
	 * Whether the rollback to a savepoint releases the locks that were acquired after it.
	 */
	abstract boolean savepointsEndLocks();

	@Test
	void rollbackToASavepointKeepsTheLocksBeforeIt() {
		this.transaction.executeWithoutResult((status) -> {
			lock("order");
			nested((savepoint) -> {
				lock("order");
				lock("another");
				sold("nothing");
				savepoint.setRollbackOnly();
			});
			assertThat(isFreeForOthers("order")).isFalse();
			assertThat(isFreeForOthers("another")).isEqualTo(savepointsEndLocks());
			sold("rest");
		});
		assertThat(sold()).containsExactly("rest");
		assertThat(isFreeForOthers("order")).isTrue();
		assertThat(isFreeForOthers("another")).isTrue();
	}

	@Test
	void locksOfAReleasedSavepointEndWithTheTransaction() {
		this.transaction.executeWithoutResult((status) -> {
			nested((savepoint) -> lock("order"));
			assertThat(isFreeForOthers("order")).isFalse();
		});
		assertThat(isFreeForOthers("order")).isTrue();
	}

	@Test
	void lockOfARolledBackSavepointIsAcquiredAgain() {
		this.transaction.executeWithoutResult((status) -> {
			for (int i = 0; i < 2; i++) {
				nested((savepoint) -> {
					lock("order");
					savepoint.setRollbackOnly();
				});
			}
			lock("order");
			lock("order");
			assertThat(isFreeForOthers("order")).isFalse();
		});
		assertThat(this.events.ends("inside")).extracting(LockEvent.AcquireEnded::outcome)
			.startsWith(AcquireOutcome.ACQUIRED, AcquireOutcome.ACQUIRED, AcquireOutcome.ACQUIRED,
					AcquireOutcome.REENTERED);
	}

	void nested(Consumer<TransactionStatus> work) {
		TransactionTemplate nested = new TransactionTemplate(this.application.bean(PlatformTransactionManager.class));
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		nested.executeWithoutResult(work);
	}

}
