package io.leasehold.event;

import io.leasehold.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Listener for one acquisition, from the call to the end of the hold, in any threads. A
 * loss may be reported before the start of the hold that it ends. The rules of
 * {@link LockEventListener} apply.
 */
public interface AcquisitionListener {

	/**
	 * Called when the acquisition ended.
	 * @param outcome how it ended
	 * @param failure the caller's exception, {@code null} if it acquired the lock
	 */
	void acquireEnded(AcquireOutcome outcome, @Nullable Exception failure);

	/**
	 * Called when the hold starts, not for a re-entry.
	 * @param fencingToken token of the acquisition
	 */
	void holdStarted(long fencingToken);

	/**
	 * Called when the hold ends.
	 * @param lossCause why the lock was lost, {@code null} if it was released
	 */
	void holdEnded(@Nullable LossCause lossCause);

}
