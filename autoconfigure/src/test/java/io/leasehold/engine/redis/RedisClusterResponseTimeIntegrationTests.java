package io.leasehold.engine.redis;

import java.time.Duration;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.server.RedisTestCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * Late responses of a cluster.
 */
@Tag("full")
class RedisClusterResponseTimeIntegrationTests extends RedisResponseTimeContract {

	private static RedisTestCluster cluster;

	@BeforeAll
	static void start() {
		cluster = RedisTestCluster.start();
	}

	@AfterAll
	static void stop() {
		cluster.close();
	}

	@Override
	RedisConfiguration servers() {
		return RedisOpener.clusterAt(cluster.ports());
	}

	@Override
	Connector connector(Duration timeout) {
		return new LettuceConnector(LettuceTransport.PLAIN, timeout);
	}

}
