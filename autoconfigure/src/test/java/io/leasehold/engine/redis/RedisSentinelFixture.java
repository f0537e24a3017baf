package io.leasehold.engine.redis;

import io.leasehold.server.RedisTestSentinels;
import org.junit.jupiter.api.AfterEach;

import org.springframework.data.redis.connection.RedisSentinelConfiguration;

/**
 * A master with a replica that sentinels put in its place, and members that reach it.
 */
abstract class RedisSentinelFixture {

	final RedisTestSentinels servers = RedisTestSentinels.start();

	final RedisEngines engines = new RedisEngines(this.servers.master().port(), RedisTestSentinels.PASSWORD);

	@AfterEach
	void stop() {
		this.engines.close();
		this.servers.close();
	}

	/** The master that the sentinels name. */
	final RedisSentinelConfiguration master() {
		RedisSentinelConfiguration master = RedisOpener.master(RedisTestSentinels.MASTER, this.servers.sentinelPorts());
		master.setSentinelPassword(RedisTestSentinels.SENTINEL_PASSWORD);
		master.setPassword(RedisTestSentinels.PASSWORD);
		return master;
	}

}
