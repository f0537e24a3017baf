package io.leasehold.service;

import java.time.Duration;
import java.time.Instant;

import io.leasehold.engine.Holder;
import org.jspecify.annotations.Nullable;

/**
 * Who holds a key, as its store tells. While a grant is passed on inside a process, this
 * is its first holder.
 *
 * @param application name of the application
 * @param host name of its host
 * @param process process id
 * @param thread name of the thread that asked for the grant
 * @param fencingToken number of the grant's first acquisition
 * @param since moment of the grant, by the store's clock
 * @param remaining rest of the lease, by the store's clock; {@code null} where the store
 * does not know when a lease ends
 */
public record StoredHolder(String application, String host, long process, String thread, long fencingToken,
		Instant since, @Nullable Duration remaining) {

	static StoredHolder of(Holder holder) {
		return new StoredHolder(holder.application(), holder.host(), holder.process(), holder.thread(),
				Hold.firstToken(holder.number()), holder.since(), holder.remaining());
	}

}
