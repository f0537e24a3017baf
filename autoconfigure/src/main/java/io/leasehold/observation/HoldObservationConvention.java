package io.leasehold.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and values of the observations of held locks. Define a bean of this type to have
 * others.
 */
public interface HoldObservationConvention extends ObservationConvention<HoldObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof HoldObservationContext;
	}

}
