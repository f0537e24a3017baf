package io.leasehold.observation;

import io.leasehold.LockKey;
import io.leasehold.event.AcquisitionListener;
import io.leasehold.event.LockEvent;
import io.leasehold.event.LockEventListener;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes each acquisition and each hold. Both are children of what the caller was doing
 * when it asked, whichever threads they begin and end in. Thread-safe.
 */
public final class LockObservations implements LockEventListener {

	private final ObservationRegistry registry;

	private final @Nullable AcquireObservationConvention acquireConvention;

	private final @Nullable HoldObservationConvention holdConvention;

	/**
	 * Create observations.
	 * @param registry where they are told
	 * @param acquireConvention names and values of acquisitions, {@code null} for the
	 * default
	 * @param holdConvention names and values of held locks, {@code null} for the default
	 */
	public LockObservations(ObservationRegistry registry, @Nullable AcquireObservationConvention acquireConvention,
			@Nullable HoldObservationConvention holdConvention) {
		this.registry = registry;
		this.acquireConvention = acquireConvention;
		this.holdConvention = holdConvention;
	}

	/** Events do not tell which acquisition they belong to. */
	@Override
	public void onEvent(LockEvent event) {
	}

	@Override
	public @Nullable AcquisitionListener follow(String engine, String name, LockKey key) {
		return this.registry.isNoop() ? null : new ObservedAcquisition(this.registry, this.acquireConvention,
				this.holdConvention, engine, name, key);
	}

}
