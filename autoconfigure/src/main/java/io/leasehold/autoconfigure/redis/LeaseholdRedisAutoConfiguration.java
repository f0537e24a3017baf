package io.leasehold.autoconfigure.redis;

import io.leasehold.autoconfigure.ConditionalOnLockEngine;
import io.leasehold.autoconfigure.LeaseholdAutoConfiguration;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.autoconfigure.LockEngineConfigurationException;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.redis.RedisLockEngine;
import io.leasehold.engine.redis.RedisSettings;
import io.leasehold.engine.redis.connection.RedisConnections;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Auto-configuration of the Redis engine, with separate connections to the application's
 * servers. The client library is selected as Spring Boot selects it.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({ DataRedisConnectionDetails.class, RedisConnectionFactory.class })
@ConditionalOnBean({ LeaseholdAutoConfiguration.class, DataRedisConnectionDetails.class })
@ConditionalOnLockEngine(RedisLockEngine.NAME)
@EnableConfigurationProperties(RedisProperties.class)
@Import({ RedisClientConfiguration.ByLettuce.class, RedisClientConfiguration.ByJedis.class })
@ImportRuntimeHints(LeaseholdRedisAutoConfiguration.ScriptHints.class)
public final class LeaseholdRedisAutoConfiguration {

	LeaseholdRedisAutoConfiguration() {
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBean(RedisClientLibrary.class)
	RedisLockEngine leaseholdRedisLockEngine(RedisClientLibrary client, RedisProperties properties,
			LeaseholdProperties shared, DataRedisConnectionDetails details, Environment environment, Member member,
			MonotonicClock clock) {
		RedisSettings settings = properties.toSettings(shared);
		RedisConnections connections = client.connections(new RedisServers(details, environment), settings);
		RedisLockEngine engine = new RedisLockEngine(connections, settings, member, clock);
		engine.warmUp();
		return engine;
	}

	@Bean
	SmartInitializingSingleton leaseholdRedisServerCheck(ObjectProvider<RedisLockEngine> engines) {
		return () -> engines.forEach(LeaseholdRedisAutoConfiguration::check);
	}

	private static void check(RedisLockEngine engine) {
		try {
			engine.checkServer();
		}
		catch (IllegalStateException ex) {
			throw new LockEngineConfigurationException(
					"The Redis engine cannot work with its server: %s.".formatted(ex.getMessage()),
					"Configure another server in spring.data.redis.*, or another engine in leasehold.engine.");
		}
	}

	public static class ScriptHints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("io/leasehold/engine/redis/*.lua");
		}

	}

}
