package io.leasehold.metrics;

import io.leasehold.leadership.Candidate;
import io.leasehold.leadership.Leaderships;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Binder of the meters {@code leasehold.leader} and {@code leasehold.terms}, tagged by
 * role. Thread-safe.
 */
public record LeadershipMetrics(Leaderships leaderships) implements MeterBinder {

	@Override
	public void bindTo(MeterRegistry registry) {
		for (Candidate candidate : this.leaderships.candidates()) {
			Gauge.builder("leasehold.leader", candidate, (role) -> role.isLeader() ? 1 : 0)
				.description("Whether this process leads in the role")
				.baseUnit("leaders")
				.tags("role", candidate.role())
				.register(registry);
			FunctionCounter.builder("leasehold.terms", candidate, Candidate::terms)
				.description("Terms of this process that have begun")
				.baseUnit("terms")
				.tags("role", candidate.role())
				.register(registry);
		}
	}

}
