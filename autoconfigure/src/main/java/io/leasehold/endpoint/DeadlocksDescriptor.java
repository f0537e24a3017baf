package io.leasehold.endpoint;

import java.util.List;

import io.leasehold.LockDeadlocks;
import org.jspecify.annotations.Nullable;

/**
 * Response of the endpoint for deadlocks between processes.
 *
 * @param deadlocks the deadlocks, each with the waits of its threads: the thread of the
 * next wait holds the awaited lock, and that of the first wait the last one
 * @param complete whether all awaited locks were visited
 * @param failure why the store did not respond, {@code null} if it did
 */
public record DeadlocksDescriptor(String engine, List<List<LockDeadlocks.Wait>> deadlocks, boolean complete,
		@Nullable String failure) {
}
