package io.leasehold.engine.redis;

import java.util.function.Consumer;

/**
 * A client library, as far as the protocol needs it. Thread-safe.
 */
interface Connector extends AutoCloseable {

	/**
	 * Open a connection. Blocks for few command timeouts at most.
	 * @throws RedisFailure if there is none
	 */
	Connection connect(Node node, Login login);

	/**
	 * Open a connection that listens. Blocks for few command timeouts at most.
	 * @param messages told of each message, in any thread
	 * @param lost told when the connection breaks
	 * @throws RedisFailure if there is none
	 */
	Ear listen(Node node, Login login, String channel, Consumer<String> messages, Runnable lost);

	/** Close all connections. */
	@Override
	void close();

}
