package io.leasehold.observation;

import io.leasehold.LockKey;
import io.leasehold.event.AcquisitionListener;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Listener that observes each acquisition and each hold. Both are children of the
 * caller's observation at the time of the request, in whichever threads they start and
 * end. Thread-safe.
 *
 * @param acquireConvention convention for acquisitions, {@code null} for the default
 * @param holdConvention convention for held locks, {@code null} for the default
 */
public record LockObservations(ObservationRegistry registry, @Nullable AcquireObservationConvention acquireConvention,
		@Nullable HoldObservationConvention holdConvention) implements LockEventListener {

	/** Ignore events, which do not identify their acquisition. */
	@Override
	public void onEvent(LockEvent event) {
	}

	@Override
	public @Nullable AcquisitionListener follow(String engine, String name, LockKey key) {
		return this.registry.isNoop() ? null : new ObservedAcquisition(this.registry, this.acquireConvention,
				this.holdConvention, engine, name, key);
	}

}
