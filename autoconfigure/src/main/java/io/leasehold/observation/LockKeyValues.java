package io.leasehold.observation;

import java.util.Locale;

import io.leasehold.observation.LockKeyNames.HighCardinality;
import io.leasehold.observation.LockKeyNames.LowCardinality;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import org.jspecify.annotations.Nullable;

/**
 * Factory of the key values that all lock observations share.
 */
final class LockKeyValues {

	private LockKeyValues() {
	}

	/** Return the low-cardinality values; the outcome is {@code null} before the end. */
	static KeyValues low(LockObservationContext context, @Nullable String outcome) {
		return KeyValues.of(LowCardinality.NAME.withValue(context.getLockName()),
				LowCardinality.ENGINE.withValue(context.getEngine()), LowCardinality.OUTCOME
					.withValue((outcome != null) ? outcome.toLowerCase(Locale.ROOT) : KeyValue.NONE_VALUE));
	}

	static KeyValues high(LockObservationContext context) {
		return KeyValues.of(HighCardinality.KEY.withValue(context.getKey().value()));
	}

}
