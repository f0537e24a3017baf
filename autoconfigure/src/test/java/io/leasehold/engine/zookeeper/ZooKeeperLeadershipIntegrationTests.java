package io.leasehold.engine.zookeeper;

import java.util.List;

import io.leasehold.leadership.LeadershipContract;
import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that a ZooKeeper server elects.
 */
@Tag("full")
class ZooKeeperLeadershipIntegrationTests extends LeadershipContract {

	@Override
	protected EngineAddress address() {
		return new EngineAddress(ZooKeeperLockEngineContractIntegrationTests.Opener.class,
				List.of(ZooKeeperTestServer.shared(), "6000"));
	}

}
