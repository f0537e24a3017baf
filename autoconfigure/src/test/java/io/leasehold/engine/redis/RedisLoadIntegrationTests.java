package io.leasehold.engine.redis;

import io.leasehold.engine.LockEngine;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.load.EngineLoad;
import io.leasehold.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

@Tag("full")
class RedisLoadIntegrationTests extends EngineLoad {

	private final RedisTestServer server = RedisTestServer.start();

	private final RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.server.port()));

	private final StatefulRedisConnection<String, String> operator = this.client.connect();

	private RedisLockEngine engine;

	@Override
	protected LockEngine open(Member member) {
		RedisSettings settings = RedisEngines.settings("load", lease().dividedBy(2), RETENTION);
		this.engine = new RedisLockEngine(
				RedisConnections.by(new LettuceConnector(LettuceTransport.PLAIN, settings.commandTimeout()),
						new RedisStandaloneConfiguration("127.0.0.1", this.server.port()), settings.commandTimeout()),
				settings, member, MonotonicClock.SYSTEM);
		return this.engine;
	}

	@Override
	protected int claims() {
		return this.engine.liveClaims();
	}

	@Override
	protected long stored() {
		return this.operator.sync().dbsize();
	}

	@AfterEach
	void stopServer() {
		this.client.shutdown();
		this.server.close();
	}

}
