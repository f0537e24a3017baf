package io.leasehold.health;

import java.util.OptionalLong;

import io.leasehold.leadership.Candidate;
import io.leasehold.leadership.Leaderships;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Health indicator that shows in which roles this process leads. It is always up: an
 * instance that does not lead is healthy. Sends no request; thread-safe.
 */
public class LeadershipHealthIndicator extends AbstractHealthIndicator {

	private final Leaderships leaderships;

	public LeadershipHealthIndicator(Leaderships leaderships) {
		this.leaderships = leaderships;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.up();
		for (Candidate candidate : this.leaderships.candidates()) {
			OptionalLong term = candidate.term();
			builder.withDetail(candidate.role(),
					term.isPresent() ? "leads, term " + term.getAsLong() : "does not lead");
		}
	}

}
