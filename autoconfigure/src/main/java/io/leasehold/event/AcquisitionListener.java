package io.leasehold.event;

import io.leasehold.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Told what becomes of one acquisition, from the call to the end of the hold, in
 * whichever threads that happens. A loss may be told before the begin of the hold that it
 * ends. Terms are those of {@link LockEventListener}.
 */
public interface AcquisitionListener {

	/**
	 * The acquisition ended, one way or another.
	 * @param outcome how it ended
	 * @param failure what the caller is told, {@code null} if it has the lock
	 */
	void acquireEnded(AcquireOutcome outcome, @Nullable Exception failure);

	/**
	 * The lock is held from now on. Not called for a re-entry.
	 * @param fencingToken number of the acquisition
	 */
	void holdStarted(long fencingToken);

	/**
	 * The lock is no longer held.
	 * @param lossCause why it was lost, {@code null} if it was released
	 */
	void holdEnded(@Nullable LossCause lossCause);

}
