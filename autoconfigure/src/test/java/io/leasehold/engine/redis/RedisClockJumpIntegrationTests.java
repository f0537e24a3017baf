package io.leasehold.engine.redis;

import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;

/**
 * Clocks of processes that share a Redis server.
 */
class RedisClockJumpIntegrationTests extends ClockJumpContract {

	@Override
	protected EngineAddress address() {
		return RedisOpener.single(RedisTestServer.shared().port());
	}

}
