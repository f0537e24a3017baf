package io.leasehold.engine.zookeeper;

import java.util.List;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.ZooKeeperTestServer;
import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;

/**
 * Clocks of processes that share a ZooKeeper server.
 */
@Tag("full")
class ZooKeeperClockJumpIntegrationTests extends ClockJumpContract {

	/** No session ends because a process got no processor for a while. */
	@Override
	protected EngineAddress address() {
		return new EngineAddress(ZooKeeperLockEngineContractIntegrationTests.Opener.class,
				List.of(ZooKeeperTestServer.shared(), "30000"));
	}

}
