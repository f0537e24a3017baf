package io.leasehold.observation;

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

	/** Values of which there are few. */
	public enum LowCardinality implements KeyName {

		/** Fixed name of the lock. */
		NAME {
			@Override
			public String asString() {
				return "name";
			}
		},

		/** Name of the engine. */
		ENGINE {
			@Override
			public String asString() {
				return "engine";
			}
		},

		/**
		 * How it ended: as in the meter {@code leasehold.acquire}; {@code released} or
		 * the cause of the loss for a hold; {@code none} before the end.
		 */
		OUTCOME {
			@Override
			public String asString() {
				return "outcome";
			}
		}

	}

	/** Values of which there is no end. */
	public enum HighCardinality implements KeyName {

		/** The key. */
		KEY {
			@Override
			public String asString() {
				return "key";
			}
		},

		/** Fencing token of the acquisition. */
		TOKEN {
			@Override
			public String asString() {
				return "token";
			}
		}

	}

}
