package io.leasehold.engine.redis.connection;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * TCP connection that never reconnects. Requests run in the order of sending, each at
 * most once, and are never repeated. Thread-safe; never blocks.
 */
public interface Connection {

	boolean isOpen();

	/**
	 * Send a command.
	 * @return the response as a string, a {@link Long}, a list of responses or null;
	 * fails with a {@link RedisFailure}
	 */
	CompletableFuture<@Nullable Object> send(String command, String... arguments);

	/** Close the connection and discard undelivered requests. */
	void close();

}
