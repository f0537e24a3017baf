package io.leasehold.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.leasehold.LockHolder;
import org.jspecify.annotations.Nullable;

/**
 * One key, as the endpoint shows it.
 *
 * @param engine the engine's name
 * @param key the key
 * @param holders who holds it by the store's word, in whichever process, in the order of
 * their grants; empty if nobody does, or the store does not say
 * @param failure why the store does not say, {@code null} if it does
 * @param here what this process holds and awaits of it
 */
public record LockDescriptor(String engine, String key, List<Holder> holders, @Nullable String failure,
		LocksDescriptor here) {

	/**
	 * Who holds a key. While a grant is passed on inside a process, its first holder.
	 *
	 * @param application name of the application
	 * @param host name of its host
	 * @param process process id
	 * @param thread name of the thread that asked for the grant
	 * @param since moment of the grant, by the store's clock
	 * @param remaining rest of the lease, by the store's clock; {@code null} where the
	 * store does not know when a lease ends
	 * @param fencingToken number of the grant's first acquisition, as text
	 */
	public record Holder(String application, String host, long process, String thread, Instant since,
			@Nullable Duration remaining, String fencingToken) {

		static Holder of(LockHolder holder) {
			Duration remaining = holder.remaining();
			return new Holder(holder.application(), holder.host(), holder.process(), holder.thread(),
					LocksDescriptor.millis(holder.since()),
					(remaining != null) ? LocksDescriptor.millis(remaining) : null,
					Long.toString(holder.fencingToken()));
		}

		@Override
		public String toString() {
			return "%s on %s, process %d, thread %s, since %s".formatted(this.application, this.host, this.process,
					this.thread, this.since);
		}

	}

}
