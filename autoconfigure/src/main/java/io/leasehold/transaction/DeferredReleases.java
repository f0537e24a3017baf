package io.leasehold.transaction;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
import io.leasehold.service.Handles;
import io.leasehold.service.ReleaseTiming;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Releases of a lock that wait until a transaction is completed. A guarded transaction
 * cannot commit if the lock was lost. Any thread may request a release; it runs after
 * other synchronizations in the thread that completes the transaction, or at once after
 * that.
 */
final class DeferredReleases implements TransactionSynchronization, ReleaseTiming.Releases {

	private static final Log logger = LogFactory.getLog(DeferredReleases.class);

	private final Deque<Runnable> waiting = new ArrayDeque<>(1);

	private final boolean guarded;

	private final @Nullable GuardedTransaction transaction;

	private final Consumer<String> warning;

	private volatile @Nullable HeldLock lock;

	/** Thread that has suspended the transaction. */
	private volatile @Nullable Thread suspended;

	private boolean completed;

	/** Whether another synchronization, registered as the last one, runs the releases. */
	private boolean followed;

	/**
	 * Create releases.
	 * @param guarded whether a lost lock prevents the commit
	 * @param transaction the transaction, or {@code null} if its manager has no guard
	 * @param warning called with the name of the lock
	 */
	DeferredReleases(boolean guarded, @Nullable GuardedTransaction transaction, Consumer<String> warning) {
		this.guarded = guarded;
		this.transaction = transaction;
		this.warning = warning;
	}

	@Override
	public void held(HeldLock lock) {
		this.lock = lock;
	}

	@Override
	public void discarded() {
		this.lock = null;
	}

	@Override
	public void acquired(String name) {
		this.warning.accept(name);
	}

	/** For managers without a guard, which checks the lock as its last step. */
	@Override
	public void beforeCommit(boolean readOnly) {
		check(this.guarded);
	}

	void check(boolean refusesLost) {
		HeldLock held = this.lock;
		if (held != null && refusesLost) {
			held.throwIfLost();
		}
	}

	@Override
	public void execute(Runnable release) {
		synchronized (this) {
			if (!this.completed) {
				this.waiting.add(release);
				return;
			}
		}
		release.run();
	}

	@Override
	public boolean waitsForCaller() {
		return isWaiting()
				&& (isOfCurrentTransaction() || this.transaction != null && this.transaction.hasEndedInCurrentThread());
	}

	private boolean isOfCurrentTransaction() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.getSynchronizations().contains(this);
	}

	@Override
	public void suspend() {
		this.suspended = Thread.currentThread();
	}

	@Override
	public void resume() {
		this.suspended = null;
	}

	@Override
	public boolean waitsForSuspended() {
		return this.suspended == Thread.currentThread();
	}

	private synchronized boolean isWaiting() {
		return !this.waiting.isEmpty();
	}

	/**
	 * Let the releases of an exclusive lock follow the synchronizations that were
	 * registered after this one. Other resources of the transaction, such as those of
	 * Kafka, commit in its completion. Listeners enter the lock until then. They could
	 * not enter a permit, and without a guard it is not known that they run.
	 */
	@Override
	public void beforeCompletion() {
		HeldLock held = this.lock;
		if (this.transaction == null || held != null && !Handles.isExclusive(held)) {
			return;
		}
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				release();
			}

		});
		this.followed = true;
	}

	@Override
	public void afterCompletion(int status) {
		if (this.transaction == null && status == STATUS_UNKNOWN) {
			commitUnknown();
		}
		if (!this.followed) {
			release();
		}
	}

	/** Mark the lock as lost: the outcome of the commit is unknown. */
	void commitUnknown() {
		HeldLock held = this.lock;
		if (held != null) {
			Handles.commitUnknown(held);
		}
	}

	private void release() {
		for (Runnable release = next(); release != null; release = next()) {
			try {
				release.run();
			}
			catch (RuntimeException ex) {
				logger.warn("A lock could not be released after its transaction", ex);
			}
		}
	}

	private synchronized @Nullable Runnable next() {
		this.completed = true;
		return this.waiting.poll();
	}

}
