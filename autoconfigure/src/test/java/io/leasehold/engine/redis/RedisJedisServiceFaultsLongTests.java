package io.leasehold.engine.redis;

import io.leasehold.engine.redis.RedisEngines.TestMember;

/**
 * The same by Jedis.
 */
class RedisJedisServiceFaultsLongTests extends RedisLockServiceFaultsIntegrationTests {

	@Override
	TestMember member(RedisEngines engines, int throughPort) {
		return engines.byJedis(throughPort);
	}

}
