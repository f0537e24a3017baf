package io.leasehold.test.contract;

import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs things at the same time.
 */
public final class Parallel {

	private Parallel() {
	}

	/**
	 * Run all, each in a thread of its own, and fail as the first of them that failed.
	 * @param tasks what to run
	 * @throws Exception what a task threw, as the cause
	 */
	public static void run(Collection<? extends Callable<?>> tasks) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
		try {
			for (Future<?> future : tasks.stream().map(threads::submit).toList()) {
				future.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

}
