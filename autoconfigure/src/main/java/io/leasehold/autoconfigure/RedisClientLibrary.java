package io.leasehold.autoconfigure;

import io.leasehold.engine.redis.RedisConnections;
import io.leasehold.engine.redis.RedisSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * Connects the Redis engine, as {@link RedisConnections} describes.
 */
@FunctionalInterface
interface RedisClientLibrary {

	RedisConnections connections(RedisConfiguration servers, @Nullable SslBundle ssl, @Nullable String clientName,
			RedisSettings settings);

}
