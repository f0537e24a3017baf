package io.leasehold.service.renewal;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;

/**
 * The threads that renew leases. Hand-overs to them never fail.
 */
public interface RenewalThreads {

	/** Executor of renewals, one batch at a time. */
	Executor renewals();

	/** Run a task that does not block after a delay in nanoseconds. */
	Future<?> schedule(Runnable task, long nanos);

}
