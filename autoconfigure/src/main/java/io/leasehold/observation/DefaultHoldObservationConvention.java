package io.leasehold.observation;

import io.leasehold.LossCause;
import io.leasehold.observation.LockKeyNames.HighCardinality;
import io.micrometer.common.KeyValues;
import org.jspecify.annotations.Nullable;

/**
 * Default convention for the observations of held locks.
 */
public class DefaultHoldObservationConvention implements HoldObservationConvention {

	@Override
	public String getName() {
		return "leasehold.lock.hold";
	}

	@Override
	public String getContextualName(HoldObservationContext context) {
		return "hold " + context.getLockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(HoldObservationContext context) {
		return context.lowCardinality(outcome(context));
	}

	private static @Nullable String outcome(HoldObservationContext context) {
		LossCause cause = context.getLossCause();
		return (cause != null) ? cause.name() : context.isEnded() ? "released" : null;
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(HoldObservationContext context) {
		return context.highCardinality().and(HighCardinality.TOKEN.withValue(Long.toString(context.getFencingToken())));
	}

}
