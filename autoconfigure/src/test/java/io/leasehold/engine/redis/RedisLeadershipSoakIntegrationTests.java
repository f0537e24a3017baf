package io.leasehold.engine.redis;

import io.leasehold.leadership.LeadershipSoak;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.Tag;

/**
 * Leaders that a Redis server elects for a minute, or with {@code -Plong} for an hour.
 */
@Tag("full")
class RedisLeadershipSoakIntegrationTests extends LeadershipSoak {

	@Override
	protected int port() {
		return RedisTestServer.shared().port();
	}

	@Override
	protected EngineAddress address(int port) {
		return RedisOpener.singleWithShortPolls(port);
	}

}
