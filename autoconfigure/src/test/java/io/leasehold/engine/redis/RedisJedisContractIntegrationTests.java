package io.leasehold.engine.redis;

import io.leasehold.test.EngineAddress;
import io.leasehold.test.RedisTestServer;

/**
 * The contract, kept by {@link RedisLockEngine} on a single server through Jedis.
 */
class RedisJedisContractIntegrationTests extends RedisLockEngineContractIntegrationTests {

	@Override
	protected EngineAddress address() {
		return RedisOpener.singleByJedis(RedisTestServer.shared().port());
	}

}
