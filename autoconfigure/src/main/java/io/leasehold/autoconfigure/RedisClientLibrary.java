package io.leasehold.autoconfigure;

import io.leasehold.engine.redis.RedisConnections;
import io.leasehold.engine.redis.RedisSettings;

/**
 * A client library of the Redis engine.
 */
@FunctionalInterface
interface RedisClientLibrary {

	/**
	 * Return connections to the application's servers, each with the credentials of its
	 * moment.
	 */
	RedisConnections connections(RedisServers servers, RedisSettings settings);

}
