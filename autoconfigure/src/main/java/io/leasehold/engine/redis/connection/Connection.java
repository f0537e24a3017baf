package io.leasehold.engine.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * TCP connection that never reconnects. Requests run in the order of sending, each at
 * most once, and are never repeated. Thread-safe; never blocks.
 */
public interface Connection {

	boolean isOpen();

	/**
	 * Send a command.
	 * @param ended called once, before the response is available, with its failure or
	 * {@code null}; must not block
	 * @return the response as a string, a {@link Long}, a list of responses or null;
	 * fails with a {@link RedisFailure}
	 */
	CompletableFuture<@Nullable Object> send(Consumer<@Nullable RedisFailure> ended, String command,
			String... arguments);

	/** Send a command whose end no observer needs. */
	default CompletableFuture<@Nullable Object> send(String command, String... arguments) {
		return send((failure) -> {
		}, command, arguments);
	}

	/** Close the connection and discard undelivered requests. */
	void close();

}
