package io.leasehold.autoconfigure.redis;

import io.lettuce.core.RedisClient;
import redis.clients.jedis.Jedis;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configuration of the Redis engine's client library: the first one on the classpath,
 * unless the application names one.
 */
abstract class RedisClientConfiguration {

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RedisClient.class)
	@ConditionalOnProperty(name = "spring.data.redis.client-type", havingValue = "lettuce", matchIfMissing = true)
	static class ByLettuce {

		@Bean
		RedisClientLibrary leaseholdRedisClientLibrary(
				ObjectProvider<LettuceClientConfigurationBuilderCustomizer> customizers) {
			return new LettuceLibrary(customizers.orderedStream());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Jedis.class)
	@ConditionalOnProperty(name = "spring.data.redis.client-type", havingValue = "jedis", matchIfMissing = true)
	static class ByJedis {

		@Bean
		@ConditionalOnMissingBean(RedisClientLibrary.class)
		RedisClientLibrary leaseholdRedisClientLibrary(
				ObjectProvider<JedisClientConfigurationBuilderCustomizer> customizers) {
			return new JedisLibrary(customizers.orderedStream());
		}

	}

}
