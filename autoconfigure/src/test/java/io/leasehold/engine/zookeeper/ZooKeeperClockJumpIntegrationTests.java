package io.leasehold.engine.zookeeper;

import java.util.List;

import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;

/**
 * Clocks of processes that share a ZooKeeper server.
 */
class ZooKeeperClockJumpIntegrationTests extends ClockJumpContract {

	@Override
	protected EngineAddress address() {
		return new EngineAddress(ZooKeeperLockEngineContractIntegrationTests.Opener.class,
				List.of(ZooKeeperTestServer.shared()));
	}

}
