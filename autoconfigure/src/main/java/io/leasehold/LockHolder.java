package io.leasehold;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * Holder of a key, as the store reports it. While a process passes a grant on between its
 * threads, this is the first holder.
 *
 * @param application name of the application
 * @param host name of its host
 * @param process process id
 * @param thread name of the thread that requested the grant, after {@code async=} if the
 * request did not block it
 * @param fencingToken token of the grant's first acquisition
 * @param since time of the grant, by the store's clock; on etcd and ZooKeeper up to a
 * second earlier after a wait
 * @param remaining rest of the lease, by the store's clock; {@code null} if the store
 * does not know when a lease ends
 * @param lingers whether the process may keep the lock without using it, which the store
 * cannot know
 */
public record LockHolder(String application, String host, long process, String thread, long fencingToken, Instant since,
		@Nullable Duration remaining, boolean lingers) implements Serializable {

	/** Return application, host, process and thread on one line, for messages. */
	@Override
	public String toString() {
		return "%s@%s (pid %s, thread %s) since %s".formatted(this.application, this.host, this.process, this.thread,
				this.since.truncatedTo(ChronoUnit.MILLIS));
	}

}
