package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.leasehold.engine.support.Deadlines;

/**
 * Blocking queries about the topology and its servers.
 *
 * @param timeout maximum time to wait for a response
 */
record Questions(Duration timeout) {

	/**
	 * Query a list.
	 * @throws RedisFailure if the response is missing, empty or not a list
	 */
	List<?> list(Connection connection, String command, String... arguments) {
		Object response = Replies.await(connection.send(command, arguments), deadline());
		if (response instanceof List<?> list && !list.isEmpty()) {
			return list;
		}
		throw RedisFailure.noResponse("Unexpected response to %s: %s".formatted(command, response), null);
	}

	/**
	 * Query what a server reports about itself: nothing if the account is not permitted
	 * to.
	 * @throws RedisFailure if it did not respond, or rejects all requests at the moment
	 */
	ServerInfo info(Connection connection) {
		try {
			return ServerInfo.query(connection, deadline());
		}
		catch (RedisFailure ex) {
			if (ex.isLasting()) {
				return new ServerInfo(Map.of());
			}
			throw ex;
		}
	}

	private long deadline() {
		return Deadlines.after(this.timeout);
	}

}
