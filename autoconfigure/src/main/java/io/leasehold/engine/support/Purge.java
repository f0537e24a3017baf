package io.leasehold.engine.support;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Removal of idle data about once an hour while its store is used. Each run has a thread
 * that ends with it, so there is nothing to close. Thread-safe.
 */
public final class Purge {

	private static final Log logger = LogFactory.getLog(Purge.class);

	private static final Duration EVERY = Duration.ofHours(1);

	private final String name;

	private final ThreadFactory threads;

	private final Runnable removal;

	private final LongSupplier clock;

	private final AtomicLong due;

	/**
	 * Create a purge.
	 * @param name name of its thread, such as {@code leasehold-jdbc-purge}
	 * @param first maximum time until the first removal is due
	 * @param removal removes idle data; if it fails, it is repeated when it is due again
	 */
	public Purge(String name, Duration first, Runnable removal) {
		this(name, first, removal, System::nanoTime);
	}

	Purge(String name, Duration first, Runnable removal, LongSupplier clock) {
		this.name = name;
		this.threads = new DaemonThreads(name + "-");
		this.removal = removal;
		this.clock = clock;
		this.due = new AtomicLong(after(first, clock.getAsLong()));
	}

	private static long after(Duration time, long now) {
		return now + Jitter.shorten(time, Jitter.OF_BACKOFF).toNanos();
	}

	/** Start a removal if one is due. Called at each use; never blocks or fails. */
	public void runIfDue() {
		if (takesTurn()) {
			try {
				this.threads.newThread(this::run).start();
			}
			catch (OutOfMemoryError ex) {
				logger.debug("No thread is available to remove idle data", ex);
			}
		}
	}

	/** Return whether a removal is due and no other thread has started it. */
	boolean takesTurn() {
		long time = this.due.get();
		long now = this.clock.getAsLong();
		return now - time >= 0 && this.due.compareAndSet(time, after(EVERY, now));
	}

	private void run() {
		try {
			this.removal.run();
		}
		catch (RuntimeException ex) {
			logger.debug("Idle data could not be removed (%s); retrying later".formatted(this.name), ex);
		}
	}

}
