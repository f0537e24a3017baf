package io.leasehold.engine.hazelcast;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.HazelcastTestCluster;
import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;

/**
 * The contract of wall clocks that jump, kept on Hazelcast by its clients.
 */
@Tag("full")
class HazelcastClockJumpIntegrationTests extends ClockJumpContract {

	@Override
	protected EngineAddress address() {
		return HazelcastEngines.address(HazelcastTestCluster.shared());
	}

}
