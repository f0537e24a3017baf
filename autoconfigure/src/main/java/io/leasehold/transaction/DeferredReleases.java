package io.leasehold.transaction;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.transaction.support.TransactionSynchronization;

/**
 * Keeps releases back until a transaction is completed. They may be asked for in any
 * thread, and run after other synchronizations, in the thread that completes the
 * transaction.
 */
final class DeferredReleases implements TransactionSynchronization, Executor {

	private static final Log logger = LogFactory.getLog(DeferredReleases.class);

	private final Deque<Runnable> waiting = new ArrayDeque<>(1);

	private boolean completed;

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
