package io.leasehold.test.contract;

import java.util.Collection;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs tasks concurrently.
 */
public final class Parallel {

	private Parallel() {
	}

	/**
	 * Run all tasks, each in a separate thread. If tasks fail, the failure of the first
	 * one in the collection is thrown.
	 * @param tasks the tasks
	 * @throws Exception if a task failed, with its exception as the cause; an
	 * {@link Error}, such as that of an assertion, is thrown unchanged
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
