package io.leasehold.transaction;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.DataAccessException;

/**
 * Removes idle rows from the fence table about once an hour, as long as it is used, in a
 * thread that lives for no longer than that takes.
 */
final class FencePurge {

	private static final Log logger = LogFactory.getLog(FencePurge.class);

	private static final long PAUSE = Duration.ofHours(1).toNanos();

	private final Runnable purge;

	private final AtomicLong next = new AtomicLong(System.nanoTime());

	FencePurge(Runnable purge) {
		this.purge = purge;
	}

	void runNowAndThen() {
		long due = this.next.get();
		long now = System.nanoTime();
		if (now - due >= 0 && this.next.compareAndSet(due, now + PAUSE)) {
			Thread thread = new Thread(this::run, "leasehold-fence-purge");
			thread.setDaemon(true);
			thread.start();
		}
	}

	private void run() {
		try {
			this.purge.run();
		}
		catch (DataAccessException ex) {
			logger.debug("Idle rows of the fence table are left for the next time", ex);
		}
	}

}
