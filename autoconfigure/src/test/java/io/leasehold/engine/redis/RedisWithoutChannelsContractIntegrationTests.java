package io.leasehold.engine.redis;

import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The contract, kept by {@link RedisLockEngine} with an account that may use no channel,
 * as a new account of Redis 7.
 */
@Tag("full")
class RedisWithoutChannelsContractIntegrationTests extends ManagedRedisContract {

	private static int port;

	@BeforeAll
	static void startServer() {
		port = start("user default on nopass ~* +@all resetchannels");
	}

	@Override
	protected EngineAddress address() {
		return RedisOpener.singleWithShortPolls(port);
	}

	@Override
	protected boolean storeNotifies() {
		return false;
	}

}
