package io.leasehold.engine.memcached;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MemcachedTestServer;
import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;

/**
 * The contract of wall clocks that jump, kept on memcached.
 */
@Tag("full")
class MemcachedClockJumpIntegrationTests extends ClockJumpContract {

	@Override
	protected EngineAddress address() {
		return MemcachedEngines.address(MemcachedTestServer.shared().address());
	}

}
