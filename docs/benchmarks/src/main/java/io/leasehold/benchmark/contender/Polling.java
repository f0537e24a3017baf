package io.leasehold.benchmark.contender;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * How long a lock is waited for that has no way to wait: it is asked for every
 * millisecond, which is quicker than anybody would dare in production.
 */
final class Polling {

	private static final long INTERVAL = Duration.ofMillis(1).toNanos();

	private Polling() {
	}

	/**
	 * Ask until the answer is yes.
	 * @param attempt asks once
	 */
	static void until(Callable<Boolean> attempt) throws Exception {
		while (!attempt.call()) {
			LockSupport.parkNanos(INTERVAL);
		}
	}

}
