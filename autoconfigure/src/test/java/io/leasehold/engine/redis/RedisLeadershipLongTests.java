package io.leasehold.engine.redis;

import io.leasehold.leadership.LeadershipSoak;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.EngineAddress;

/**
 * Leaders that a Redis server elects for a long time.
 */
class RedisLeadershipLongTests extends LeadershipSoak {

	@Override
	protected int port() {
		return RedisTestServer.shared().port();
	}

	@Override
	protected EngineAddress address(int port) {
		return RedisOpener.singleWithShortPolls(port);
	}

}
