package io.leasehold.transaction;

import java.util.ArrayList;
import java.util.List;

import io.leasehold.HeldLockScope;
import io.leasehold.service.Handles;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Listener of a transaction manager that rolls a transaction back instead of committing
 * it if a lock of the current thread was lost or a fencing token is stale. It is the last
 * check before the commit, after all synchronizations and after JPA has written its
 * changes. A transaction under a lock that fails before its commit is rolled back,
 * whatever the exception. After a commit of unknown outcome, the locks are lost, and
 * their keys stay locked until the leases end. A nested transaction is left to its outer
 * one. Thread-safe.
 *
 * @param refusesLost whether lost locks prevent a commit; stale tokens always do
 */
public record CommitGuard(ConfigurableTransactionManager manager,
		boolean refusesLost) implements TransactionExecutionListener {

	private static final String JPA_MANAGER = "org.springframework.orm.jpa.JpaTransactionManager";

	private static final String JPA_API = "jakarta.persistence.EntityManager";

	private static final boolean JPA = ClassUtils.isPresent(JPA_MANAGER, CommitGuard.class.getClassLoader())
			&& ClassUtils.isPresent(JPA_API, CommitGuard.class.getClassLoader());

	/**
	 * Guard a transaction manager, after its other listeners. Does nothing if its last
	 * listener is a guard.
	 */
	public static void addTo(ConfigurableTransactionManager manager, boolean refusesLost) {
		List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
		if (!listeners.isEmpty() && listeners.get(listeners.size() - 1) instanceof CommitGuard) {
			return;
		}
		listeners.removeIf(CommitGuard.class::isInstance);
		listeners.add(new CommitGuard(manager, refusesLost));
		manager.setTransactionExecutionListeners(listeners); // its own may be immutable
	}

	@Override
	public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
		if (beginFailure == null && this.manager instanceof AbstractPlatformTransactionManager rollingBack
				&& transaction instanceof DefaultTransactionStatus status && status.isNewSynchronization()) {
			TransactionSynchronizationManager.registerSynchronization(new GuardedTransaction(rollingBack, status));
		}
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		if (transaction.isNested()) {
			return;
		}
		if (checkLocks()) {
			flush(transaction);
			checkLocks();
			compare(transaction);
			CommitAttempt.begin(transaction);
		}
		GuardedTransaction.commitBegins();
	}

	/** Check the locks of the thread and of its transaction, and return whether any. */
	private boolean checkLocks() {
		if (this.refusesLost) {
			HeldLockScope.throwIfAnyLost();
		}
		return GuardedTransaction.check(this.refusesLost) || !HeldLockScope.held().isEmpty();
	}

	/**
	 * Let JPA write its changes, which takes time and calls code of the application. That
	 * code may commit transactions of its own, which wait for the row of a compared
	 * token.
	 */
	private void flush(TransactionExecution transaction) {
		if (JPA && !transaction.isReadOnly() && transaction instanceof DefaultTransactionStatus status) {
			SessionFlush.run(this.manager, status);
		}
	}

	private static void compare(TransactionExecution transaction) {
		try {
			HeldLockScope.beforeCommit(transaction);
		}
		catch (TransactionException ex) {
			// Spring would treat it as a failure of the commit itself and not roll back
			throw new IllegalStateException("The transaction was rolled back: " + ex.getMessage(), ex);
		}
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		ended(transaction, (commitFailure != null) ? TransactionSynchronization.STATUS_UNKNOWN
				: TransactionSynchronization.STATUS_COMMITTED);
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		ended(transaction, (rollbackFailure != null) ? TransactionSynchronization.STATUS_UNKNOWN
				: TransactionSynchronization.STATUS_ROLLED_BACK);
	}

	/** Also called if there is no synchronization, after the others have completed. */
	private static void ended(TransactionExecution transaction, int completion) {
		CommitAttempt attempt = CommitAttempt.of(transaction);
		if (attempt != null) {
			attempt.forget();
			if (attempt.isUnknown(completion)) {
				HeldLockScope.held().forEach(Handles::commitUnknown);
			}
		}
	}

	public static final class RollbackHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.reflection().registerMethod(GuardedTransaction.ROLLBACK, ExecutableMode.INVOKE);
			for (String queried : List.of(CommitAttempt.JDBC_OBJECT, JPA_MANAGER, JPA_API)) {
				hints.reflection().registerTypeIfPresent(classLoader, queried);
			}
		}

	}

}
