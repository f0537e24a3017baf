package io.leasehold.autoconfigure.redis;

import io.leasehold.engine.redis.RedisSettings;
import io.leasehold.engine.redis.connection.RedisConnections;

/**
 * Client library of the Redis engine.
 */
@FunctionalInterface
interface RedisClientLibrary {

	/**
	 * Return connections to the application's servers, each with the credentials at the
	 * time of its creation.
	 */
	RedisConnections connections(RedisServers servers, RedisSettings settings);

}
