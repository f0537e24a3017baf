package io.leasehold.engine.zookeeper;

import java.io.IOException;
import java.time.Duration;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.load.EngineLoad;
import io.leasehold.server.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

@Tag("full")
class ZooKeeperLoadIntegrationTests extends EngineLoad {

	/** A session bounds the validity of a lease, too. */
	private static final int SESSION_MILLIS = 120_000;

	private final TestingServer server = ZooKeeperTestServer.removingContainersEvery(Duration.ofMillis(500));

	private final CuratorFramework client = ZooKeeperTestServer.connect(this.server.getConnectString(), SESSION_MILLIS);

	private ZooKeeperLockEngine engine;

	@Override
	protected LockEngine open(Member member) {
		this.engine = ZooKeeperLockEngine.using(this.client,
				new ZooKeeperSettings("load", "/leasehold", Duration.ofSeconds(3), Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM);
		return this.engine;
	}

	/** The server writes each renewal to its log, and runs in this JVM. */
	@Override
	protected int manyLocks() {
		return 300;
	}

	@Override
	protected int manyKeys() {
		return 1_000;
	}

	@Override
	protected int claims() {
		return this.engine.liveClaims();
	}

	@Override
	protected long stored() throws Exception {
		Stat root = this.client.checkExists().forPath("/leasehold/load");
		return (root != null) ? root.getNumChildren() : 0;
	}

	@AfterEach
	void stopServer() throws IOException {
		this.client.close();
		this.server.close();
	}

}
