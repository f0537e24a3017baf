package io.leasehold.event;

import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened in one engine's service.
 */
public sealed interface LockEvent {

	/**
	 * Return the engine's name.
	 * @return such as {@code redis}
	 */
	String engine();

	/**
	 * A caller found the key taken and waits. Followed by one {@link AcquireEnded} of the
	 * same name.
	 *
	 * @param engine the engine's name
	 * @param name fixed name of the lock
	 * @param key the key
	 */
	record WaitStarted(String engine, String name, LockKey key) implements LockEvent {
	}

	/**
	 * An acquisition ended, one way or another.
	 *
	 * @param engine the engine's name
	 * @param name fixed name of the lock
	 * @param key the key, or {@code null} if it could not name a lock
	 * @param outcome how it ended
	 * @param waited whether a {@link WaitStarted} came before
	 * @param nanos how long it took, in nanoseconds
	 * @param failure what the caller was told, or would have been but for
	 * {@link AcquireOutcome#BYPASSED}; {@code null} if the key was had, or never asked
	 * for
	 */
	record AcquireEnded(String engine, String name, @Nullable LockKey key, AcquireOutcome outcome, boolean waited,
			long nanos, @Nullable Exception failure) implements LockEvent {
	}

	/**
	 * A hold ended: released, or lost before. Comes once for each acquisition that ended
	 * as {@link AcquireOutcome#ACQUIRED}.
	 *
	 * @param engine the engine's name
	 * @param name fixed name of the lock
	 * @param key the key
	 * @param fencingToken number of the acquisition
	 * @param nanos how long it was held, in nanoseconds
	 */
	record HoldEnded(String engine, String name, LockKey key, long fencingToken, long nanos) implements LockEvent {
	}

	/**
	 * A lock was lost while it was held. Comes at most once for a hold, before its
	 * {@link HoldEnded}; after it if the release had to be repeated in the background,
	 * and the store's answer to that showed the loss.
	 *
	 * @param engine the engine's name
	 * @param name fixed name of the lock
	 * @param key the key
	 * @param fencingToken number of the acquisition
	 * @param cause why
	 */
	record HoldLost(String engine, String name, LockKey key, long fencingToken, LossCause cause) implements LockEvent {
	}

	/**
	 * A lock is held for longer than it should be. Comes at most once for a hold: while
	 * it lasts, or when it ends before anybody looked.
	 *
	 * @param engine the engine's name
	 * @param name fixed name of the lock
	 * @param key the key
	 * @param fencingToken number of the acquisition
	 * @param nanos how long it has been held, in nanoseconds
	 */
	record HoldSlow(String engine, String name, LockKey key, long fencingToken, long nanos) implements LockEvent {
	}

	/**
	 * The store answered the renewal of one lease, or failed to.
	 *
	 * @param engine the engine's name
	 * @param outcome what came of it
	 * @param took how long the batch took that it was part of
	 * @param slack how much of the lease was left when the answer was there
	 * @param failure why nothing is known, only for {@link RenewalResult#UNKNOWN}
	 */
	record LeaseRenewed(String engine, RenewalResult outcome, Duration took, Duration slack,
			@Nullable Exception failure) implements LockEvent {
	}

	/**
	 * A key went from one owner to the next without a pause.
	 *
	 * @param engine the engine's name
	 * @param kind inside this process or between processes
	 */
	record HandedOff(String engine, HandoffKind kind) implements LockEvent {
	}

}
