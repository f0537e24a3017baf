package io.leasehold.engine.redis;

import java.io.IOException;

import io.leasehold.engine.redis.ManagedRedis.Service;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The contract, kept by {@link RedisLockEngine} on an emulation of a Tair cluster in
 * proxy mode.
 */
@Tag("full")
class RedisTairContractIntegrationTests extends ManagedRedisContract {

	private static ManagedRedis service;

	@BeforeAll
	static void startService() {
		service = ManagedRedis.start(Service.TAIR_PROXY, start());
	}

	@AfterAll
	static void stopService() throws IOException {
		service.close();
	}

	@Override
	protected EngineAddress address() {
		return RedisOpener.single(service.port());
	}

}
