package io.leasehold.engine.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce connection that never reconnects.
 */
final class LettuceConnection implements Connection {

	private final StatefulRedisConnection<String, String> connection;

	private final AtomicBoolean closed = new AtomicBoolean();

	LettuceConnection(StatefulRedisConnection<String, String> connection) {
		this.connection = connection;
	}

	@Override
	public boolean isOpen() {
		return !this.closed.get() && this.connection.isOpen();
	}

	@Override
	public CompletableFuture<@Nullable Object> send(Consumer<@Nullable RedisFailure> ended, String command,
			String... arguments) {
		LettuceRequest request = new LettuceRequest(ended, command, arguments);
		try {
			this.connection.dispatch(request);
		}
		catch (RedisException ex) {
			request.completeExceptionally(ex);
		}
		if (!isOpen()) {
			// Lettuce may have stored it for a new connection, after it failed all others
			request.failUnlessWritten(RedisFailure.noResponse("connection is closed", null));
		}
		return request;
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) { // Lettuce warns if closed twice
			this.connection.closeAsync();
		}
	}

}
