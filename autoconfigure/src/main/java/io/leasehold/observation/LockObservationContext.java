package io.leasehold.observation;

import java.util.Locale;

import io.leasehold.LockKey;
import io.leasehold.observation.LockKeyNames.HighCardinality;
import io.leasehold.observation.LockKeyNames.LowCardinality;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * Context of the observation of a lock.
 */
public abstract class LockObservationContext extends Observation.Context {

	private final String engine;

	private final String lockName;

	private final LockKey key;

	LockObservationContext(String engine, String lockName, LockKey key) {
		this.engine = engine;
		this.lockName = lockName;
		this.key = key;
	}

	/** Return the engine's name, such as {@code redis}. */
	public String getEngine() {
		return this.engine;
	}

	/** Return the fixed name of the lock, such as {@code OrderService.pay}. */
	public String getLockName() {
		return this.lockName;
	}

	public LockKey getKey() {
		return this.key;
	}

	/** Return the low-cardinality values; the outcome is {@code null} before the end. */
	KeyValues lowCardinality(@Nullable String outcome) {
		return KeyValues.of(LowCardinality.NAME.withValue(this.lockName), LowCardinality.ENGINE.withValue(this.engine),
				LowCardinality.OUTCOME
					.withValue((outcome != null) ? outcome.toLowerCase(Locale.ROOT) : KeyValue.NONE_VALUE));
	}

	KeyValues highCardinality() {
		return KeyValues.of(HighCardinality.KEY.withValue(this.key.value()));
	}

}
