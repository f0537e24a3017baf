package io.leasehold.engine.redis;

import io.leasehold.engine.redis.RedisEngines.TestMember;

/**
 * The same by Jedis.
 */
class RedisJedisEngineFaultsLongTests extends RedisLockEngineFaultsIntegrationTests {

	@Override
	TestMember member(RedisEngines engines, int throughPort) {
		return engines.byJedis(throughPort);
	}

}
