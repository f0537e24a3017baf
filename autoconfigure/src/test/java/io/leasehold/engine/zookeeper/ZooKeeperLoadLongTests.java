package io.leasehold.engine.zookeeper;

import java.time.Duration;

/**
 * The same on a large scale.
 */
class ZooKeeperLoadLongTests extends ZooKeeperLoadIntegrationTests {

	@Override
	protected int manyLocks() {
		return 20_000;
	}

	@Override
	protected int manyKeys() {
		return 200_000;
	}

	/** Long enough if this JVM gets a tenth of a processor only. */
	@Override
	protected Duration lease() {
		return Duration.ofSeconds(90);
	}

}
