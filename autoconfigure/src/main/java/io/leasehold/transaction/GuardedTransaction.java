package io.leasehold.transaction;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.leasehold.HeldLockScope;
import io.leasehold.service.Handles;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ReflectionUtils;

/**
 * Transaction of a guarded manager, and the first of its synchronizations. Spring treats
 * every {@code TransactionException} as a failure of the commit itself, even one that is
 * thrown before it, and does not roll back. The clean-up of a JDBC connection then
 * commits, and a JPA connection is never returned. Under a lock, this class rolls back
 * first. Confined to the thread of the transaction.
 */
final class GuardedTransaction implements TransactionSynchronization, Ordered {

	/** The step that Spring omits. */
	static final Method ROLLBACK = Objects.requireNonNull(ReflectionUtils
		.findMethod(AbstractPlatformTransactionManager.class, "doRollback", DefaultTransactionStatus.class));

	static {
		ReflectionUtils.makeAccessible(ROLLBACK);
	}

	private final AbstractPlatformTransactionManager manager;

	private final DefaultTransactionStatus status;

	/** Releases of the locks that were acquired inside. */
	private final List<DeferredReleases> inside = new ArrayList<>();

	private @Nullable RuntimeException refusal;

	private boolean commits;

	private boolean rollsBack;

	private boolean committed;

	private boolean committing;

	/** Thread that calls the synchronizations after the commit or rollback. */
	private volatile @Nullable Thread ended;

	GuardedTransaction(AbstractPlatformTransactionManager manager, DefaultTransactionStatus status) {
		this.manager = manager;
		this.status = status;
	}

	/**
	 * Return the thread's current transaction. Requires an active synchronization.
	 * @return the transaction, or {@code null} if its manager has no guard
	 */
	static @Nullable GuardedTransaction current() {
		for (TransactionSynchronization one : TransactionSynchronizationManager.getSynchronizations()) {
			if (one instanceof GuardedTransaction transaction) {
				return transaction;
			}
		}
		return null;
	}

	/**
	 * Check the thread's current transaction before its commit.
	 * @param refusesLost whether a lost lock that was acquired inside prevents the commit
	 * @return whether a lock was acquired inside
	 */
	static boolean check(boolean refusesLost) {
		if (!TransactionSynchronizationManager.isSynchronizationActive()) {
			return false;
		}
		boolean locked = false;
		for (TransactionSynchronization one : TransactionSynchronizationManager.getSynchronizations()) {
			if (one instanceof GuardedTransaction transaction) {
				transaction.throwIfRefused();
			}
			if (one instanceof DeferredReleases releases) {
				locked = true;
				releases.check(refusesLost);
			}
		}
		return locked;
	}

	/**
	 * Return whether this transaction ends the connection that is bound to the thread, or
	 * has no JDBC connection of its own. Requires spring-jdbc.
	 */
	boolean isOf(Object dataSource) {
		return !(this.status.getTransaction() instanceof JdbcTransactionObjectSupport)
				|| FenceConnections.isCommitted(dataSource, this.status);
	}

	/** Let the transaction be rolled back instead of committed, for the first reason. */
	void refuse(RuntimeException reason) {
		if (this.refusal == null) {
			this.refusal = reason;
		}
	}

	private void throwIfRefused() {
		if (this.refusal != null) {
			throw this.refusal;
		}
	}

	/** Record that nothing precedes the commit of the thread's transaction any more. */
	static void commitBegins() {
		GuardedTransaction transaction = TransactionSynchronizationManager.isSynchronizationActive() ? current() : null;
		if (transaction != null) {
			transaction.committing = true;
		}
	}

	/**
	 * Record that a lock is held until the transaction is completed. It may be acquired
	 * while the commit writes changes, as the first one.
	 */
	void lockedInside(DeferredReleases releases) {
		this.inside.add(releases);
		if (this.committing && !this.committed) {
			CommitAttempt.begin(this.status);
		}
	}

	boolean isCommitted() {
		return this.committed;
	}

	/** Return whether the current thread has ended this transaction. */
	boolean hasEndedInCurrentThread() {
		return this.ended == Thread.currentThread();
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		this.commits = true;
	}

	@Override
	public void beforeCompletion() {
		this.rollsBack = !this.commits;
	}

	@Override
	public void afterCommit() {
		this.committed = true;
		this.ended = Thread.currentThread();
	}

	/**
	 * Roll back if Spring has not. A second rollback is safe. Decides whether the outcome
	 * is unknown before other synchronizations, which may commit transactions of their
	 * own.
	 */
	@Override
	public void afterCompletion(int completion) {
		this.ended = Thread.currentThread();
		CommitAttempt attempt = CommitAttempt.of(this.status);
		if (attempt != null && attempt.isUnknown(completion)) {
			HeldLockScope.held().forEach(Handles::commitUnknown);
			this.inside.forEach(DeferredReleases::commitUnknown);
		}
		if (completion != STATUS_COMMITTED && !this.rollsBack
				&& (!this.inside.isEmpty() || !HeldLockScope.held().isEmpty())) {
			rollBack(this.manager, this.status);
		}
	}

	/** Roll back a transaction whose manager does not. */
	static void rollBack(AbstractPlatformTransactionManager manager, DefaultTransactionStatus status) {
		ReflectionUtils.invokeMethod(ROLLBACK, manager, status);
	}

}
