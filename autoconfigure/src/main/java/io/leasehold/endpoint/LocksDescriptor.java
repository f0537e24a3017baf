package io.leasehold.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.leasehold.LockOverview;
import org.jspecify.annotations.Nullable;

/**
 * Response of the endpoint for the locks of one process.
 *
 * @param held the held locks, the oldest first
 * @param waiting the callers that wait, the longest first
 * @param parked the locks without a holder that the process keeps for its next caller
 */
public record LocksDescriptor(List<Held> held, List<Waiting> waiting, List<Parked> parked) {

	static LocksDescriptor of(LockOverview overview) {
		return new LocksDescriptor(overview.held().stream().map(Held::of).toList(),
				overview.waiting().stream().map(Waiting::of).toList(),
				overview.parked().stream().map(Parked::of).toList());
	}

	/** Truncate to milliseconds, for readability. */
	static Instant millis(Instant instant) {
		return instant.truncatedTo(ChronoUnit.MILLIS);
	}

	static Duration millis(Duration duration) {
		return duration.truncatedTo(ChronoUnit.MILLIS);
	}

	/**
	 * A held lock.
	 *
	 * @param name fixed name of the lock
	 * @param thread name of the thread that acquired it, {@code null} for an async caller
	 * @param since time of the acquisition
	 * @param remaining how long it stays valid without further renewal
	 * @param fencingToken token of the acquisition; a string because it exceeds
	 * JavaScript's safe integer range
	 * @param handles number of open handles: one, and one for each re-entry
	 * @param waiting how many callers of this process wait for the key
	 */
	public record Held(String engine, String key, String name, @Nullable String thread, Instant since,
			Duration remaining, String fencingToken, int handles, int waiting) {

		static Held of(LockOverview.Held held) {
			return new Held(held.engine(), held.key().value(), held.name(), held.thread(), millis(held.since()),
					millis(held.remaining()), Long.toString(held.fencingToken()), held.handles(), held.waiting());
		}

	}

	/**
	 * A lock that the process keeps for its next caller.
	 *
	 * @param name fixed name of the last holder's lock
	 * @param remaining rest of the lease
	 * @param fencingToken token of the last acquisition, as a string
	 */
	public record Parked(String engine, String key, String name, Duration remaining, String fencingToken) {

		static Parked of(LockOverview.Parked parked) {
			return new Parked(parked.engine(), parked.key().value(), parked.name(), millis(parked.remaining()),
					Long.toString(parked.fencingToken()));
		}

	}

	/**
	 * A waiting caller.
	 *
	 * @param name fixed name of the lock
	 * @param thread name of the waiting thread, {@code null} for an async caller
	 * @param since time of the request
	 * @param remaining rest of its wait time
	 */
	public record Waiting(String engine, String key, String name, @Nullable String thread, Instant since,
			Duration remaining) {

		static Waiting of(LockOverview.Waiting waiting) {
			return new Waiting(waiting.engine(), waiting.key().value(), waiting.name(), waiting.thread(),
					millis(waiting.since()), millis(waiting.remaining()));
		}

	}

}
