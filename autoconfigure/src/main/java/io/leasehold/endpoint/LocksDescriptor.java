package io.leasehold.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;

import io.leasehold.LockKey;
import io.leasehold.LockOverview;
import io.leasehold.event.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Response of the endpoint for the locks of one process.
 *
 * @param held the held locks, the oldest first
 * @param waiting the callers that wait, the longest first
 * @param parked the locks without a holder that the process keeps for its next caller
 * @param acquired when locks were last acquired and called, those first that never were
 * acquired, then the oldest
 * @param contended the keys with the most waits, the first with the most
 */
public record LocksDescriptor(List<Held> held, List<Waiting> waiting, List<Parked> parked, List<Acquired> acquired,
		List<Contended> contended) {

	static LocksDescriptor of(LockOverview overview, LockActivity activity) {
		return new LocksDescriptor(overview.held().stream().map(Held::of).toList(),
				overview.waiting().stream().map(Waiting::of).toList(),
				overview.parked().stream().map(Parked::of).toList(), activity.acquired(), activity.contended());
	}

	/** Limit the activity to a key, as an overview of the key is already. */
	LocksDescriptor withActivityOf(String engine, String key) {
		return new LocksDescriptor(this.held, this.waiting, this.parked,
				this.acquired.stream().filter((lock) -> lock.engine.equals(engine) && key.equals(lock.key)).toList(),
				this.contended.stream().filter((lock) -> lock.engine.equals(engine) && lock.key.equals(key)).toList());
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

	/**
	 * Last acquisition and last call of a lock in this process.
	 *
	 * @param name fixed name of the lock
	 * @param age time since the acquisition, {@code null} if there was none
	 * @param called time since the last call ended
	 * @param outcome how it ended, as in the meter {@code leasehold.acquire}
	 * @param key its key, {@code null} if it is unknown, or if no keys are kept
	 */
	public record Acquired(String engine, String name, @Nullable Duration age, Duration called, String outcome,
			@Nullable String key) {

		static Acquired of(String engine, String name, @Nullable LockKey key, @Nullable Long age, long called,
				AcquireOutcome outcome) {
			return new Acquired(engine, name, (age != null) ? since(age) : null, since(called),
					outcome.name().toLowerCase(Locale.ROOT), (key != null) ? key.value() : null);
		}

		private static Duration since(long nanos) {
			return millis(Duration.ofNanos(Math.max(0, nanos)));
		}

	}

	/**
	 * A key that callers of this process waited for in the last five minutes.
	 *
	 * @param name fixed name of the last caller's lock
	 * @param waits number of waits, with or without success; too large by at most
	 * {@code overcount}
	 * @param overcount zero unless callers waited for more than a hundred keys in a
	 * minute
	 * @param total sum of these waits, without those that were overcounted
	 * @param longest longest of these waits
	 */
	public record Contended(String engine, String key, String name, long waits, long overcount, Duration total,
			Duration longest) {

		static Contended of(BusiestKeys.Key key, BusiestKeys.Waits waits) {
			return new Contended(key.engine(), key.key().value(), waits.name(), waits.count(), waits.error(),
					millis(Duration.ofNanos(waits.total())), millis(Duration.ofNanos(waits.longest())));
		}

	}

}
