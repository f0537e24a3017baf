package io.leasehold.engine.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Connection to a server to which slots migrate. <em>ASKING</em> applies to the next
 * command only, so one such pair is in flight at a time. The client libraries keep the
 * order of one thread's commands, but another thread may send between them, even one of
 * the library.
 */
final class AskingConnection implements Connection {

	private final Connection connection;

	private CompletableFuture<@Nullable Object> last = CompletableFuture.completedFuture(null);

	/** Wrap a connection that is exclusive to this object. */
	AskingConnection(Connection connection) {
		this.connection = connection;
	}

	@Override
	public boolean isOpen() {
		return this.connection.isOpen();
	}

	@Override
	public synchronized CompletableFuture<@Nullable Object> send(Consumer<@Nullable RedisFailure> ended, String command,
			String... arguments) {
		this.last = this.last.handle((response, failure) -> response).thenCompose((before) -> {
			this.connection.send("ASKING");
			return this.connection.send(ended, command, arguments);
		});
		return this.last;
	}

	@Override
	public void close() {
		this.connection.close();
	}

}
