package io.leasehold.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.leasehold.KeptLock;
import io.leasehold.LockHolder;
import org.jspecify.annotations.Nullable;

/**
 * Response of the endpoint for one key.
 *
 * @param holders the holders in any process, from the store, in the order of their
 * grants; empty if there is none or the store did not respond
 * @param kept how a key without a holder is kept locked, {@code null} if it is not, if
 * the engine cannot show it, or if the store did not respond
 * @param failure why the store did not respond, {@code null} if it did
 * @param here what the response for this process contains about the key
 */
public record LockDescriptor(String engine, String key, List<Holder> holders, @Nullable Kept kept,
		@Nullable String failure, LocksDescriptor here) {

	/**
	 * Holder of a key; the first one of a grant that a process passes on.
	 *
	 * @param application name of the application
	 * @param host name of its host
	 * @param process process id
	 * @param thread name of the thread that requested the grant, after {@code async=} if
	 * the request did not block it
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
	 * Key that a minimum hold keeps locked: a job between two runs, or a paused one.
	 *
	 * @param last the last holder; of a paused key, the process that paused it
	 * @param from begin of the last run or of the pause, by the store's clock
	 * @param to time of its release, by the store's clock; {@code null} if its lease
	 * ended before
	 * @param remaining rest of the minimum hold, by the store's clock
	 * @param outcome {@code released}, or {@code lease ended} after a crash
	 * @param pausedBy the operator who paused the key, {@code null} if it is not paused
	 */
	public record Kept(Last last, Instant from, @Nullable Instant to, Duration remaining, String outcome,
			@Nullable String pausedBy) {

		static Kept of(KeptLock kept) {
			Instant released = kept.released();
			return new Kept(Last.of(kept.last()), LocksDescriptor.millis(kept.last().since()),
					(released != null) ? LocksDescriptor.millis(released) : null,
					LocksDescriptor.millis(kept.remaining()), (released != null) ? "released" : "lease ended",
					kept.pausedBy());
		}

	}

	/**
	 * Last holder of a key that has none.
	 *
	 * @param fencingToken token of the grant's first acquisition, as a string
	 */
	public record Last(String application, String host, long process, String thread, String fencingToken) {

		static Last of(LockHolder holder) {
			return new Last(holder.application(), holder.host(), holder.process(), holder.thread(),
					Long.toString(holder.fencingToken()));
		}

	}

}
