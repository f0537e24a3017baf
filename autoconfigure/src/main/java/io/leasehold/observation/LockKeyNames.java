package io.leasehold.observation;

import io.micrometer.common.docs.KeyName;

/**
 * Names of the values that observations of locks have.
 */
public final class LockKeyNames {

	private LockKeyNames() {
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
