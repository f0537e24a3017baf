package io.leasehold.service.renewal;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;

/**
 * Threads that renew leases. They accept every task.
 */
public interface RenewalThreads {

	/** Return the executor of renewals. */
	Executor renewals();

	/** Schedule a task that does not block after a delay in nanoseconds. */
	Future<?> schedule(Runnable task, long nanos);

}
