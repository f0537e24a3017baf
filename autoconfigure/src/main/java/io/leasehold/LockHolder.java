package io.leasehold;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A holder of a key, as the store reports it. While a grant is passed on inside a
 * process, this is its first holder.
 *
 * @param application name of the application
 * @param host name of its host
 * @param process process id
 * @param thread name of the thread that requested the grant
 * @param fencingToken token of the grant's first acquisition
 * @param since moment of the grant, by the store's clock
 * @param remaining rest of the lease, by the store's clock; {@code null} where the store
 * does not know when a lease ends
 */
public record LockHolder(String application, String host, long process, String thread, long fencingToken, Instant since,
		@Nullable Duration remaining) {
}
