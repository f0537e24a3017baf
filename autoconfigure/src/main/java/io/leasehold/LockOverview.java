package io.leasehold;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What this process holds and awaits at a moment, for operators. Each key is seen as it
 * was at one instant, different keys one after the other.
 *
 * @param held the locks that are held, the oldest first
 * @param waiting the callers that found a key taken and wait for it, the longest first
 */
public record LockOverview(List<Held> held, List<Waiting> waiting) {

	/**
	 * A lock that is held.
	 *
	 * @param engine the engine's name
	 * @param key the key
	 * @param name fixed name of the lock
	 * @param fencingToken number of the acquisition
	 * @param thread name of the thread that took it, {@code null} if it was taken without
	 * one, as async callers do
	 * @param since when it was taken, by this process's clock
	 * @param remaining how long it stays valid if it is not renewed
	 * @param handles how many handles on it are open: one, and one for each re-entry
	 * @param waiting how many callers of this process wait for the key
	 */
	public record Held(String engine, LockKey key, String name, long fencingToken, @Nullable String thread,
			Instant since, Duration remaining, int handles, int waiting) {
	}

	/**
	 * A caller that waits.
	 *
	 * @param engine the engine's name
	 * @param key the key
	 * @param name fixed name of the lock
	 * @param thread name of the thread that waits, {@code null} if none does
	 * @param since when it asked, by this process's clock
	 * @param remaining rest of its wait time
	 */
	public record Waiting(String engine, LockKey key, String name, @Nullable String thread, Instant since,
			Duration remaining) {
	}

}
