package io.leasehold.engine.redis;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A connection to a server that slots are on the move to. The server takes
 * <em>ASKING</em> for the next command only, so there is one such pair under way at a
 * time: the client libraries keep the order of one thread's commands, but not that of two
 * threads, one of which may be the client's own.
 */
final class AskingConnection implements Connection {

	private final Connection connection;

	private CompletableFuture<@Nullable Object> last = CompletableFuture.completedFuture(null);

	/**
	 * Create a connection.
	 * @param connection used by nobody else
	 */
	AskingConnection(Connection connection) {
		this.connection = connection;
	}

	@Override
	public boolean isOpen() {
		return this.connection.isOpen();
	}

	@Override
	public synchronized CompletableFuture<@Nullable Object> send(String command, String... arguments) {
		this.last = this.last.handle((answer, failure) -> answer).thenCompose((before) -> {
			this.connection.send("ASKING");
			return this.connection.send(command, arguments);
		});
		return this.last;
	}

	@Override
	public void close() {
		this.connection.close();
	}

}
