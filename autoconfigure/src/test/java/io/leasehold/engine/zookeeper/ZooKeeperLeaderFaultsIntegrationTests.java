package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.leadership.LeaderFaultsContract;
import io.leasehold.leadership.ProxiedRoute;
import io.leasehold.leadership.Route;
import io.leasehold.server.ZooKeeperTestServer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that a ZooKeeper server elects while it or the network fails.
 */
@Tag("full")
class ZooKeeperLeaderFaultsIntegrationTests extends LeaderFaultsContract {

	private static final ZooKeeperEngines engines = new ZooKeeperEngines();

	private static final TestingServer server = engines.server();

	@AfterAll
	static void closeAll() throws Exception {
		engines.close();
	}

	@Override
	protected Route connect(String namespace, Member member) {
		return new ProxiedRoute(List.of(server.getPort()), (ports) -> open(namespace, "127.0.0.1:" + ports.get(0)));
	}

	private static LockEngine open(String namespace, String address) {
		return ZooKeeperLockEngine.using(engines.client(address, ZooKeeperTestServer.SESSION_MILLIS),
				new ZooKeeperSettings(namespace, "/leasehold", Duration.ofSeconds(2), Duration.ofSeconds(1)),
				MonotonicClock.SYSTEM);
	}

	@Override
	protected void empty(String namespace) throws Exception {
		CuratorFramework operator = engines.client(server.getConnectString());
		try {
			operator.delete().deletingChildrenIfNeeded().forPath("/leasehold/" + NodePaths.escape(namespace));
		}
		catch (KeeperException.NoNodeException ex) {
			// the server has removed what was empty
		}
	}

}
