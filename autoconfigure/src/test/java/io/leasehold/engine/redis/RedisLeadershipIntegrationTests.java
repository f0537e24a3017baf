package io.leasehold.engine.redis;

import io.leasehold.leadership.LeadershipContract;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that a Redis server elects.
 */
@Tag("full")
class RedisLeadershipIntegrationTests extends LeadershipContract {

	@Override
	protected EngineAddress address() {
		return RedisOpener.single(RedisTestServer.shared().port());
	}

}
