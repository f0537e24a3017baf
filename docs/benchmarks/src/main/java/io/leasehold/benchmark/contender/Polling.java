package io.leasehold.benchmark.contender;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * A wait for a lock that offers none: it is requested every millisecond, more often than
 * is sensible in production.
 */
final class Polling {

	private static final long INTERVAL = Duration.ofMillis(1).toNanos();

	private Polling() {
	}

	/**
	 * Repeat an attempt until it succeeds.
	 * @param attempt returns whether it succeeded
	 */
	static void until(Callable<Boolean> attempt) throws Exception {
		while (!attempt.call()) {
			LockSupport.parkNanos(INTERVAL);
		}
	}

}
