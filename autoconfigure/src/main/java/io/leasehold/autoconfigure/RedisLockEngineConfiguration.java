package io.leasehold.autoconfigure;

import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.RedisConnections;
import io.leasehold.engine.redis.RedisLockEngine;
import io.leasehold.engine.redis.RedisSettings;
import io.lettuce.core.RedisClient;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * The Redis engine, through the first client library that is there.
 */
abstract class RedisLockEngineConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RedisClient.class)
	@ConditionalOnProperty(name = "spring.data.redis.client-type", havingValue = "lettuce", matchIfMissing = true)
	static class ByLettuce {

		@Bean
		@ConditionalOnMissingBean
		RedisLockEngine redisLockEngine(RedisProperties properties, LeaseholdProperties shared,
				DataRedisConnectionDetails details, Environment environment, Member member, MonotonicClock clock) {
			RedisSettings settings = properties.toSettings(shared);
			RedisServers servers = new RedisServers(details, environment);
			return engine(
					RedisConnections.byLettuce(servers.configuration(), servers.ssl(), servers.clientName(), settings),
					settings, member, clock);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Jedis.class)
	@ConditionalOnProperty(name = "spring.data.redis.client-type", havingValue = "jedis", matchIfMissing = true)
	static class ByJedis {

		@Bean
		@ConditionalOnMissingBean
		RedisLockEngine redisLockEngine(RedisProperties properties, LeaseholdProperties shared,
				DataRedisConnectionDetails details, Environment environment, Member member, MonotonicClock clock) {
			RedisSettings settings = properties.toSettings(shared);
			RedisServers servers = new RedisServers(details, environment);
			return engine(
					RedisConnections.byJedis(servers.configuration(), servers.ssl(), servers.clientName(), settings),
					settings, member, clock);
		}

	}

	private static RedisLockEngine engine(RedisConnections connections, RedisSettings settings, Member member,
			MonotonicClock clock) {
		RedisLockEngine engine = new RedisLockEngine(connections, settings, member, clock);
		engine.warmUp();
		return engine;
	}

}
