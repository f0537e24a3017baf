package io.leasehold;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Snapshot of the holds and waiters of this process. It is consistent per key, not across
 * keys.
 *
 * @param held the locks that are held, the oldest first
 * @param waiting the callers that wait for a held key, the longest first
 * @param parked the locks without a holder that this process keeps for its next caller
 */
public record LockOverview(List<Held> held, List<Waiting> waiting, List<Parked> parked) {

	/**
	 * A held lock.
	 *
	 * @param engine the engine's name
	 * @param key the key
	 * @param name fixed name of the lock
	 * @param fencingToken token of the acquisition
	 * @param thread name of the thread that acquired it, {@code null} for an async caller
	 * @param since time of the acquisition, by this process's clock
	 * @param remaining how long it stays valid without further renewal
	 * @param handles number of open handles: one, and one for each re-entry
	 * @param waiting how many callers of this process wait for the key
	 */
	public record Held(String engine, LockKey key, String name, long fencingToken, @Nullable String thread,
			Instant since, Duration remaining, int handles, int waiting) {
	}

	/**
	 * A lock that lingers: it is not held, but this process has not released it.
	 *
	 * @param engine the engine's name
	 * @param key the key
	 * @param name fixed name of the last holder's lock
	 * @param fencingToken token of the last acquisition
	 * @param remaining rest of the lease
	 */
	public record Parked(String engine, LockKey key, String name, long fencingToken, Duration remaining) {
	}

	/**
	 * A waiting caller.
	 *
	 * @param engine the engine's name
	 * @param key the key
	 * @param name fixed name of the lock
	 * @param thread name of the waiting thread, {@code null} for an async caller
	 * @param since time of the request, by this process's clock
	 * @param remaining rest of its wait time
	 */
	public record Waiting(String engine, LockKey key, String name, @Nullable String thread, Instant since,
			Duration remaining) {
	}

}
