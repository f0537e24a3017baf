package io.leasehold.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.leasehold.LockHolder;
import io.leasehold.LockOverview;
import org.jspecify.annotations.Nullable;

/**
 * Response of the endpoint for one key.
 *
 * @param holders the holders in any process, from the store, in the order of their
 * grants; empty if there is none or the store did not respond
 * @param failure why the store did not respond, {@code null} if it did
 * @param here holds and waiters of the key in this process
 */
public record LockDescriptor(String engine, String key, List<Holder> holders, @Nullable String failure, Here here) {

	/**
	 * Holder of a key; the first one of a grant that a process passes on.
	 *
	 * @param application name of the application
	 * @param host name of its host
	 * @param process process id
	 * @param thread name of the thread that requested the grant
	 * @param since time of the grant, by the store's clock
	 * @param remaining rest of the lease, by the store's clock; {@code null} if the store
	 * does not know when a lease ends
	 * @param fencingToken token of the grant's first acquisition, as a string
	 * @param lingers whether the process may keep the lock without using it
	 */
	public record Holder(String application, String host, long process, String thread, Instant since,
			@Nullable Duration remaining, String fencingToken, boolean lingers) {

		static Holder of(LockHolder holder) {
			Duration remaining = holder.remaining();
			return new Holder(holder.application(), holder.host(), holder.process(), holder.thread(),
					LocksDescriptor.millis(holder.since()),
					(remaining != null) ? LocksDescriptor.millis(remaining) : null,
					Long.toString(holder.fencingToken()), holder.lingers());
		}

		@Override
		public String toString() {
			return "%s on %s, process %s, thread %s, since %s".formatted(this.application, this.host, this.process,
					this.thread, this.since);
		}

	}

	/**
	 * Holds of a key in this process, and callers that wait for it here.
	 */
	public record Here(List<LocksDescriptor.Held> held, List<LocksDescriptor.Waiting> waiting,
			List<LocksDescriptor.Parked> parked) {

		static Here of(LockOverview overview) {
			return new Here(overview.held().stream().map(LocksDescriptor.Held::of).toList(),
					overview.waiting().stream().map(LocksDescriptor.Waiting::of).toList(),
					overview.parked().stream().map(LocksDescriptor.Parked::of).toList());
		}

	}

}
