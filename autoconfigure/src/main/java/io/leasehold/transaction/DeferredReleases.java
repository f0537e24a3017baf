package io.leasehold.transaction;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

import io.leasehold.HeldLock;
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

	private final Consumer<String> warning;

	private volatile @Nullable HeldLock lock;

	private boolean completed;

	DeferredReleases(boolean guarded, Consumer<String> warning) {
		this.guarded = guarded;
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

	@Override
	public void beforeCommit(boolean readOnly) {
		HeldLock held = this.lock;
		if (held != null && this.guarded) {
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
		return isWaiting() && TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.getSynchronizations().contains(this);
	}

	private synchronized boolean isWaiting() {
		return !this.waiting.isEmpty();
	}

	@Override
	public void afterCompletion(int status) {
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
