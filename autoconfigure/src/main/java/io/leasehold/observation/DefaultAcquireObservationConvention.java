package io.leasehold.observation;

import io.leasehold.event.AcquireOutcome;
import io.micrometer.common.KeyValues;

/**
 * Default convention for the observations of acquisitions.
 */
public class DefaultAcquireObservationConvention implements AcquireObservationConvention {

	@Override
	public String getName() {
		return "leasehold.lock.acquire";
	}

	@Override
	public String getContextualName(AcquireObservationContext context) {
		return "acquire " + context.getLockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(AcquireObservationContext context) {
		AcquireOutcome outcome = context.getOutcome();
		return context.lowCardinality((outcome != null) ? outcome.name() : null);
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(AcquireObservationContext context) {
		return context.highCardinality();
	}

}
