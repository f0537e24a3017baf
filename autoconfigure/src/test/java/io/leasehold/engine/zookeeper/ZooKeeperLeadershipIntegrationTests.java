package io.leasehold.engine.zookeeper;

import java.util.List;

import io.leasehold.leadership.LeadershipContract;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.EngineAddress;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that a ZooKeeper server elects.
 */
@Tag("full")
class ZooKeeperLeadershipIntegrationTests extends LeadershipContract {

	private static final CuratorFramework operator = ZooKeeperTestServer.connect(ZooKeeperTestServer.shared(), 60_000);

	@AfterAll
	static void close() {
		operator.close();
	}

	@Override
	protected List<Integer> ports() {
		return List.of(Integer.valueOf(ZooKeeperTestServer.shared().replaceFirst(".*:", "")));
	}

	@Override
	protected EngineAddress address(List<Integer> ports) {
		return new EngineAddress(ZooKeeperLockEngineContractIntegrationTests.Opener.class,
				List.of("127.0.0.1:" + ports.get(0)));
	}

	@Override
	protected void empty(String namespace) throws Exception {
		try {
			operator.delete().deletingChildrenIfNeeded().forPath("/leasehold/" + NodePaths.escape(namespace));
		}
		catch (KeeperException.NoNodeException ex) {
			// the server has removed what was empty
		}
	}

}
