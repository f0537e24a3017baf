package io.leasehold.observation;

import io.leasehold.observation.LockKeyNames.HighCardinality;
import io.leasehold.observation.LockKeyNames.LowCardinality;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of locks and their values.
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/** From a caller's wish for a lock until it has it or is told that it has not. */
	ACQUIRE {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultAcquireObservationConvention.class;
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return new KeyName[] { HighCardinality.KEY };
		}

	},

	/** As long as a lock is held. */
	HOLD {

		@Override
		public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
			return DefaultHoldObservationConvention.class;
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return HighCardinality.values();
		}

	};

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return LowCardinality.values();
	}

}
