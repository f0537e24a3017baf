package io.leasehold.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Convention for the observations of held locks. Define a bean of this type to replace
 * the default.
 */
public interface HoldObservationConvention extends ObservationConvention<HoldObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof HoldObservationContext;
	}

}
