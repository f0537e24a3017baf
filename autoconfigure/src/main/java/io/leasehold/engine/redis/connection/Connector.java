package io.leasehold.engine.redis.connection;

import java.util.function.Consumer;

/**
 * Client library, reduced to the needs of the protocol. Thread-safe.
 */
public interface Connector extends AutoCloseable {

	/**
	 * Open a connection. Blocks for a few command timeouts at most.
	 * @throws RedisFailure if the connection fails
	 */
	Connection connect(Node node, Login login);

	/**
	 * Open a subscribed connection. Blocks for a few command timeouts at most.
	 * @param messages called with each message, in any thread
	 * @param lost called when the connection breaks or is closed
	 * @throws RedisFailure if the connection fails
	 */
	SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages, Runnable lost);

	@Override
	void close();

}
