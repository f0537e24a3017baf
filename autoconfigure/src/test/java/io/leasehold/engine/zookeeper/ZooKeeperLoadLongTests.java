package io.leasehold.engine.zookeeper;

import java.time.Duration;

/**
 * The same on a large scale.
 */
class ZooKeeperLoadLongTests extends ZooKeeperLoadIntegrationTests {

	/** Each needs a request of its own to be renewed, answered within a call's time. */
	@Override
	protected int manyLocks() {
		return 5_000;
	}

	@Override
	protected int manyKeys() {
		return 200_000;
	}

	@Override
	protected Duration lease() {
		return Duration.ofSeconds(30);
	}

}
