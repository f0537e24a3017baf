package io.leasehold.engine.redlock;

import io.leasehold.test.contract.EngineAddress;

/**
 * The contract, kept by {@link RedlockLockEngine} on three masters through Jedis. Its
 * connections keep the contract of the Redis engine in each build.
 */
class RedlockJedisContractLongTests extends RedlockContractIntegrationTests {

	@Override
	protected EngineAddress address() {
		return RedlockOpener.byJedis(RedlockTestMasters.shared().ports());
	}

}
