package io.leasehold.observation;

import io.leasehold.LockKey;
import io.leasehold.LockLostException;
import io.leasehold.LossCause;
import io.leasehold.event.AcquireOutcome;
import io.leasehold.event.AcquisitionListener;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observations of one acquisition and the hold that follows it.
 */
final class ObservedAcquisition implements AcquisitionListener {

	private static final AcquireObservationConvention ACQUIRE = new DefaultAcquireObservationConvention();

	private static final HoldObservationConvention HOLD = new DefaultHoldObservationConvention();

	private final ObservationRegistry registry;

	private final @Nullable HoldObservationConvention holdConvention;

	/** The caller's observation at the time of the request. */
	private final @Nullable Observation parent;

	private final AcquireObservationContext context;

	private final Observation acquire;

	private @Nullable Hold hold;

	private @Nullable LossCause lossBeforeHold;

	ObservedAcquisition(ObservationRegistry registry, @Nullable AcquireObservationConvention acquireConvention,
			@Nullable HoldObservationConvention holdConvention, String engine, String name, LockKey key) {
		this.registry = registry;
		this.holdConvention = holdConvention;
		this.parent = registry.getCurrentObservation();
		this.context = new AcquireObservationContext(engine, name, key);
		this.acquire = LockObservationDocumentation.ACQUIRE.start(acquireConvention, ACQUIRE, () -> this.context,
				registry);
	}

	/** Report failures, except a busy lock and an interrupt, as errors. */
	@Override
	public void acquireEnded(AcquireOutcome outcome, @Nullable Exception failure) {
		this.context.setOutcome(outcome);
		if (failure != null && outcome != AcquireOutcome.BUSY && outcome != AcquireOutcome.INTERRUPTED) {
			this.acquire.error(failure);
		}
		this.acquire.stop();
	}

	@Override
	public synchronized void holdStarted(long fencingToken) {
		HoldObservationContext held = new HoldObservationContext(this.context.getEngine(), this.context.getLockName(),
				this.context.getKey(), fencingToken);
		Observation observation = LockObservationDocumentation.HOLD.observation(this.holdConvention, HOLD, () -> held,
				this.registry);
		held.setParentObservation(this.parent);
		this.hold = new Hold(held, observation.start());
		if (this.lossBeforeHold != null) {
			holdEnded(this.lossBeforeHold);
		}
	}

	@Override
	public synchronized void holdEnded(@Nullable LossCause lossCause) {
		Hold ended = this.hold;
		if (ended == null) {
			this.lossBeforeHold = lossCause;
			return;
		}
		ended.context().end(lossCause);
		if (lossCause != null) {
			ended.observation()
				.error(new LockLostException(this.context.getKey(), this.context.getEngine(), lossCause));
		}
		ended.observation().stop();
	}

	private record Hold(HoldObservationContext context, Observation observation) {
	}

}
