package io.leasehold.engine.zookeeper;

import io.leasehold.LockKey;
import org.junit.jupiter.api.AfterEach;

/**
 * An engine on a server whose sessions the test ends.
 */
abstract class ZooKeeperFaultsFixture {

	static final LockKey KEY = new LockKey("order:42");

	static final String CONTAINER = "/leasehold/faults/order:42";

	final ZooKeeperEngines engines = new ZooKeeperEngines();

	@AfterEach
	void close() throws Exception {
		this.engines.close();
	}

}
