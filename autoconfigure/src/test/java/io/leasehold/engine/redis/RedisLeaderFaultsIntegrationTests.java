package io.leasehold.engine.redis;

import java.util.List;

import io.leasehold.engine.Member;
import io.leasehold.leadership.LeaderFaultsContract;
import io.leasehold.leadership.ProxiedRoute;
import io.leasehold.leadership.Route;
import io.leasehold.server.RedisTestServer;

/**
 * Leaders that a Redis server elects while it or the network fails.
 */
class RedisLeaderFaultsIntegrationTests extends LeaderFaultsContract {

	private final int port = RedisTestServer.shared().port();

	@Override
	protected Route connect(String namespace, Member member) {
		return new ProxiedRoute(List.of(this.port),
				(ports) -> RedisOpener.singleWithShortPolls(ports.get(0)).open(namespace, member));
	}

	@Override
	protected void empty(String namespace) {
		empty(this.port, namespace);
	}

	static void empty(int port, String namespace) {
		try (RedisEngines operator = new RedisEngines(port)) {
			operator.server().del(operator.server().keys(namespace + ":*").toArray(String[]::new));
		}
	}

}
