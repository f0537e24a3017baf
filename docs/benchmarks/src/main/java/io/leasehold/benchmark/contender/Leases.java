package io.leasehold.benchmark.contender;

import java.time.Duration;

/**
 * The lease that all contenders take.
 */
final class Leases {

	static final Duration LEASE = Duration.ofSeconds(30);

	private Leases() {
	}

}
