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
import io.lettuce.core.RedisClient;

import org.springframework.beans.factory.ListableBeanFactory;
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
import org.springframework.core.Ordered;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Auto-configuration of the Redis engine, with separate connections to the servers of the
 * application's connection factory. Lettuce opens them.
 */
@AutoConfiguration(after = LeaseholdAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@ConditionalOnClass({ RedisClient.class, DataRedisConnectionDetails.class, RedisConnectionFactory.class })
@ConditionalOnBean({ LeaseholdAutoConfiguration.class, RedisConnectionFactory.class })
@ConditionalOnLockEngine(RedisLockEngine.NAME)
@EnableConfigurationProperties(RedisProperties.class)
public final class LeaseholdRedisAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RedisLockEngine leaseholdRedisLockEngine(RedisProperties properties, LeaseholdProperties shared,
			ListableBeanFactory beans, ObjectProvider<DataRedisConnectionDetails> details, Member member,
			MonotonicClock clock) {
		RedisSettings settings = properties.toSettings(shared);
		DataRedisConnectionDetails known = details.getIfUnique();
		String name = properties.connectionFactory();
		ApplicationFactory factory = ApplicationFactory.select(beans, StringUtils.hasText(name) ? name : null);
		RedisConnections connections = ApplicationServers.of(factory, known).connections(known, settings);
		try {
			return new RedisLockEngine(connections, settings, member, clock);
		}
		catch (IllegalArgumentException ex) { // an address contains credentials
			connections.close();
			throw new LockEngineConfigurationException(
					"An address in the connection factory '%s' contains '@'.".formatted(factory.bean()),
					"Set spring.data.redis.username and spring.data.redis.password instead.");
		}
	}

	/**
	 * Connects when all beans exist. Netty would log stack traces if an invalid
	 * configuration closed the engine while it connects.
	 */
	@Bean
	SmartInitializingSingleton leaseholdRedisServerCheck(ObjectProvider<RedisLockEngine> engines) {
		return () -> engines.forEach(LeaseholdRedisAutoConfiguration::check);
	}

	private static void check(RedisLockEngine engine) {
		engine.warmUp();
		try {
			engine.checkServer();
		}
		catch (IllegalStateException ex) {
			throw new LockEngineConfigurationException(
					"The Redis engine cannot work with its server: %s.".formatted(ex.getMessage()),
					"Configure another server for the connection factory, or another engine in leasehold.engine.");
		}
	}

}
