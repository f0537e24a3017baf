package io.leasehold.observation;

import io.leasehold.LockKey;
import io.leasehold.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of a held lock.
 */
public final class HoldObservationContext extends LockObservationContext {

	private final long fencingToken;

	private volatile boolean ended;

	private volatile @Nullable LossCause lossCause;

	HoldObservationContext(String engine, String lockName, LockKey key, long fencingToken) {
		super(engine, lockName, key);
		this.fencingToken = fencingToken;
	}

	/** Return the fencing token of the acquisition. */
	public long getFencingToken() {
		return this.fencingToken;
	}

	/** Return whether the lock was released or lost. */
	public boolean isEnded() {
		return this.ended;
	}

	/** Return why the lock was lost, {@code null} if it was not. */
	public @Nullable LossCause getLossCause() {
		return this.lossCause;
	}

	void end(@Nullable LossCause lossCause) {
		this.lossCause = lossCause;
		this.ended = true;
	}

}
