package io.leasehold.observation;

import java.util.Locale;

import io.micrometer.common.docs.KeyName;

/**
 * Names of the key values of lock observations.
 */
public final class LockKeyNames {

	private LockKeyNames() {
	}

	/** Keys with few values. */
	public enum LowCardinality implements KeyName {

		/** Fixed name of the lock. */
		NAME,

		/** Name of the engine. */
		ENGINE,

		/**
		 * Outcome, as in the meter {@code leasehold.acquire}; for a hold {@code released}
		 * or the cause of the loss; {@code none} before the end.
		 */
		OUTCOME;

		@Override
		public String asString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/** Keys with an unlimited number of values. */
	public enum HighCardinality implements KeyName {

		/** The key. */
		KEY,

		/** Fencing token of the acquisition. */
		TOKEN;

		@Override
		public String asString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
