package io.leasehold.engine.redis;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;

/**
 * Clocks of processes that share a Redis server.
 */
@Tag("full")
class RedisClockJumpIntegrationTests extends ClockJumpContract {

	@Override
	protected EngineAddress address() {
		return RedisOpener.single(RedisTestServer.shared().port());
	}

}
