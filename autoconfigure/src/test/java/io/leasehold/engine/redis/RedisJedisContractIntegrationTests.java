package io.leasehold.engine.redis;

import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.EngineAddress;

/**
 * The contract, kept by {@link RedisLockEngine} on a single server through Jedis.
 */
class RedisJedisContractIntegrationTests extends RedisLockEngineContractIntegrationTests {

	@Override
	protected EngineAddress address() {
		return RedisOpener.singleByJedis(RedisTestServer.shared().port());
	}

}
