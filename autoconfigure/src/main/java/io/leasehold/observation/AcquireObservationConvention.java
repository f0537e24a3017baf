package io.leasehold.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Convention for the observations of acquisitions. Define a bean of this type to replace
 * the default.
 */
public interface AcquireObservationConvention extends ObservationConvention<AcquireObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof AcquireObservationContext;
	}

}
