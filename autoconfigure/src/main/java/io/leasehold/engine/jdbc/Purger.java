package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;

import io.leasehold.LockEngineException;
import io.leasehold.engine.support.Jitter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Removal of idle rows soon after the start and about once an hour, in a separate thread.
 */
final class Purger implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Purger.class);

	static final int BATCH = 100;

	private static final Duration FIRST = Duration.ofSeconds(10);

	private static final Duration EVERY = Duration.ofHours(1);

	private final IntUnaryOperator remove;

	private final ScheduledThreadPoolExecutor executor;

	/**
	 * Create a purger.
	 * @param remove removes up to a number of rows and returns how many there were
	 */
	Purger(IntUnaryOperator remove) {
		this.remove = remove;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("leasehold-jdbc-purge-");
		threads.setDaemon(true);
		this.executor = new ScheduledThreadPoolExecutor(1, threads);
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	void start() {
		schedule(FIRST);
	}

	private void schedule(Duration about) {
		if (!this.executor.isShutdown()) {
			this.executor.schedule(this::run, Jitter.shorten(about, Jitter.OF_BACKOFF).toMillis(),
					TimeUnit.MILLISECONDS);
		}
	}

	private void run() {
		try {
			purge();
		}
		catch (LockEngineException ex) {
			logger.debug("Could not remove idle rows; retrying at the next run", ex);
		}
		catch (RuntimeException ex) {
			logger.warn("Idle rows could not be removed from the lock table", ex);
		}
		schedule(EVERY);
	}

	void purge() {
		int found = BATCH;
		while (found == BATCH && !this.executor.isShutdown()) {
			found = this.remove.applyAsInt(BATCH);
		}
	}

	@Override
	public void close() {
		this.executor.shutdownNow();
	}

}
