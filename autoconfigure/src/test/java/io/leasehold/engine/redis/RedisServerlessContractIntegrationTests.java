package io.leasehold.engine.redis;

import java.io.IOException;
import java.util.List;

import io.leasehold.engine.redis.ManagedRedis.Service;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The contract, kept by {@link RedisLockEngine} on an emulation of ElastiCache
 * Serverless.
 */
@Tag("full")
class RedisServerlessContractIntegrationTests extends ManagedRedisContract {

	private static ManagedRedis service;

	@BeforeAll
	static void startService() {
		service = ManagedRedis.start(Service.ELASTICACHE_SERVERLESS, start());
	}

	@AfterAll
	static void stopService() throws IOException {
		service.close();
	}

	@Override
	protected EngineAddress address() {
		return RedisOpener.cluster(List.of(service.port()));
	}

}
