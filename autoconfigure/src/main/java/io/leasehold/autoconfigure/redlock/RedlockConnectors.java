package io.leasehold.autoconfigure.redlock;

import java.time.Duration;

import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.JedisConnector;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.lettuce.core.RedisClient;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Factory of connectors for the client library on the classpath: Lettuce if there are
 * both, unless the application names Jedis.
 */
@FunctionalInterface
interface RedlockConnectors {

	/** Create a connector. */
	Connector create(@Nullable SslBundle ssl, Duration timeout);

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(RedisClient.class)
	@ConditionalOnProperty(name = "spring.data.redis.client-type", havingValue = "lettuce", matchIfMissing = true)
	class ByLettuce {

		@Bean
		RedlockConnectors leaseholdRedlockConnectors() {
			return (ssl, timeout) -> new LettuceConnector(ssl, null, timeout);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(Jedis.class)
	@ConditionalOnProperty(name = "spring.data.redis.client-type", havingValue = "jedis", matchIfMissing = true)
	class ByJedis {

		@Bean
		@ConditionalOnMissingBean
		RedlockConnectors leaseholdRedlockConnectors() {
			return (ssl, timeout) -> new JedisConnector(ssl, null, timeout);
		}

	}

}
