package io.leasehold.test.contract;

import java.time.Duration;

import io.leasehold.engine.LockEngine;

/**
 * An engine that accepts leases that are too short for its call timeout. Calls of tests
 * need a long one, because a busy machine pauses, and tests wait for the end of leases.
 */
public final class ShortLeases extends DelegatingEngine {

	private static final Duration LEAST = Duration.ofSeconds(1);

	public ShortLeases(LockEngine engine) {
		super(engine);
	}

	@Override
	public Duration minLease() {
		Duration needed = super.minLease();
		return (needed.compareTo(LEAST) < 0) ? needed : LEAST;
	}

}
