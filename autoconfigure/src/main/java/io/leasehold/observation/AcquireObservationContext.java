package io.leasehold.observation;

import io.leasehold.LockKey;
import io.leasehold.event.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of an acquisition.
 */
public final class AcquireObservationContext extends LockObservationContext {

	private volatile @Nullable AcquireOutcome outcome;

	AcquireObservationContext(String engine, String lockName, LockKey key) {
		super(engine, lockName, key);
	}

	/** Return the outcome of the acquisition, {@code null} before its end. */
	public @Nullable AcquireOutcome getOutcome() {
		return this.outcome;
	}

	void setOutcome(AcquireOutcome outcome) {
		this.outcome = outcome;
	}

}
