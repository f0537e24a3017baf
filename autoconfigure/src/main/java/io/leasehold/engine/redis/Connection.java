package io.leasehold.engine.redis;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * One TCP connection, once: requests run in the order of sending, each once at most. Once
 * broken it stays so, and nothing sent on it is repeated. Thread-safe, and never blocks.
 */
interface Connection {

	boolean isOpen();

	/**
	 * Send a command.
	 * @return the answer in words of Java: text, {@link Long}, a list of answers or null;
	 * fails with a {@link RedisFailure}
	 */
	CompletableFuture<@Nullable Object> send(String command, String... arguments);

	/** Close, and drop what has not been delivered. */
	void close();

}
