package io.leasehold.engine.redis;

import java.time.Duration;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.server.RedisTestServer;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Late responses of a single server, by Lettuce.
 */
class RedisResponseTimeIntegrationTests extends RedisResponseTimeContract {

	@Override
	RedisConfiguration servers() {
		return new RedisStandaloneConfiguration("127.0.0.1", RedisTestServer.shared().port());
	}

	@Override
	Connector connector(Duration timeout) {
		return new LettuceConnector(LettuceTransport.PLAIN, timeout);
	}

}
