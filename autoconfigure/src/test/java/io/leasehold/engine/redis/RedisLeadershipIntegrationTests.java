package io.leasehold.engine.redis;

import java.util.List;

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
	protected List<Integer> ports() {
		return List.of(RedisTestServer.shared().port());
	}

	@Override
	protected EngineAddress address(List<Integer> ports) {
		return RedisOpener.singleWithShortPolls(ports.get(0));
	}

	@Override
	protected void empty(String namespace) {
		RedisLeaderFaultsIntegrationTests.empty(RedisTestServer.shared().port(), namespace);
	}

}
