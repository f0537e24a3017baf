package io.leasehold.autoconfigure;

import io.leasehold.engine.redis.RedisLockEngine;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration of the Redis engine, with connections of its own to the
 * application's servers. Which client library it uses is decided as Boot decides it for
 * the application.
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@ConditionalOnClass({ DataRedisConnectionDetails.class, RedisConnectionFactory.class })
@ConditionalOnBean(DataRedisConnectionDetails.class)
@ConditionalOnLockEngine(RedisLockEngine.NAME)
@EnableConfigurationProperties(RedisProperties.class)
@Import({ RedisLockEngineConfiguration.ByLettuce.class, RedisLockEngineConfiguration.ByJedis.class })
@ImportRuntimeHints(LeaseholdRedisAutoConfiguration.ScriptHints.class)
public final class LeaseholdRedisAutoConfiguration {

	LeaseholdRedisAutoConfiguration() {
	}

	static class ScriptHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("io/leasehold/engine/redis/*.lua");
		}

	}

}
