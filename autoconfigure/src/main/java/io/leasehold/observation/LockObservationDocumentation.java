package io.leasehold.observation;

import io.leasehold.observation.LockKeyNames.HighCardinality;
import io.leasehold.observation.LockKeyNames.LowCardinality;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * Documentation of the lock observations and their key values.
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/** An acquisition, from the request to the grant or the failure. */
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

	/** A hold, from the grant to the release or the loss. */
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
