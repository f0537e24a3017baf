package io.leasehold.transaction;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.DataAccessException;

/**
 * Removes idle rows from the fence table about once an hour while the table is used, in a
 * thread that ends with the removal. Thread-safe.
 */
final class FencePurge {

	private static final Log logger = LogFactory.getLog(FencePurge.class);

	private static final long PAUSE = Duration.ofHours(1).toNanos();

	private final Runnable purge;

	private final LongSupplier clock;

	private final AtomicLong next;

	/** Create a purge, which is due at once. */
	FencePurge(Runnable purge, LongSupplier clock) {
		this.purge = purge;
		this.clock = clock;
		this.next = new AtomicLong(clock.getAsLong());
	}

	void runNowAndThen() {
		if (takesTurn()) {
			Thread thread = new Thread(this::run, "leasehold-fence-purge");
			thread.setDaemon(true);
			thread.start();
		}
	}

	/** Return whether the purge is due and no other caller runs it. */
	boolean takesTurn() {
		long due = this.next.get();
		long now = this.clock.getAsLong();
		return now - due >= 0 && this.next.compareAndSet(due, now + PAUSE);
	}

	private void run() {
		try {
			this.purge.run();
		}
		catch (DataAccessException ex) {
			logger.debug("Idle rows of the fence table could not be deleted; retrying later", ex);
		}
	}

}
