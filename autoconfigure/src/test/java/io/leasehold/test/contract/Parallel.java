package io.leasehold.test.contract;

import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
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
	 * @throws Exception with what a task threw as its cause; an {@link Error}, such as
	 * that of an assertion, is thrown itself
	 */
	public static void run(Collection<? extends Callable<?>> tasks) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
		try {
			for (Future<?> future : tasks.stream().map(threads::submit).toList()) {
				future.get();
			}
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof Error error) {
				throw error;
			}
			throw ex;
		}
		finally {
			threads.shutdownNow();
		}
	}

}
