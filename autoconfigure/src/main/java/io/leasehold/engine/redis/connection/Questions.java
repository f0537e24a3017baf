package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.List;

/**
 * Blocking queries about the topology.
 *
 * @param timeout maximum time to wait for a response
 */
record Questions(Duration timeout) {

	/**
	 * Query a list.
	 * @throws RedisFailure if the response is missing, empty or not a list
	 */
	List<?> list(Connection connection, String command, String... arguments) {
		Object response = Replies.await(connection.send(command, arguments),
				System.nanoTime() + this.timeout.toNanos());
		if (response instanceof List<?> list && !list.isEmpty()) {
			return list;
		}
		throw RedisFailure.noResponse("Unexpected response to %s: %s".formatted(command, response), null);
	}

}
