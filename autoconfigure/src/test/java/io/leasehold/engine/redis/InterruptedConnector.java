package io.leasehold.engine.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisFailure;
import org.jspecify.annotations.Nullable;

/**
 * Real connections, and something that happens just before or after the sending of a
 * request.
 */
final class InterruptedConnector implements Connector {

	private static final Runnable NOTHING = () -> {
	};

	private final Connector connector;

	private final AtomicReference<Runnable> beforeNext = new AtomicReference<>(NOTHING);

	private final AtomicReference<Runnable> afterNext = new AtomicReference<>(NOTHING);

	InterruptedConnector(Connector connector) {
		this.connector = connector;
	}

	/** Let something happen before the next request is sent, in its thread. */
	void beforeNext(Runnable action) {
		this.beforeNext.set(action);
	}

	/** Let something happen after the next request has been sent, in its thread. */
	void afterNext(Runnable action) {
		this.afterNext.set(action);
	}

	@Override
	public Connection connect(Node node, Login login) {
		Connection connection = this.connector.connect(node, login);
		return new Connection() {

			@Override
			public boolean isOpen() {
				return connection.isOpen();
			}

			@Override
			public CompletableFuture<@Nullable Object> send(Consumer<@Nullable RedisFailure> ended, String command,
					String... arguments) {
				InterruptedConnector.this.beforeNext.getAndSet(NOTHING).run();
				CompletableFuture<@Nullable Object> reply = connection.send(ended, command, arguments);
				InterruptedConnector.this.afterNext.getAndSet(NOTHING).run();
				return reply;
			}

			@Override
			public void close() {
				connection.close();
			}

		};
	}

	@Override
	public SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages,
			Runnable lost) {
		return this.connector.listen(node, login, channel, messages, lost);
	}

	@Override
	public void close() {
		this.connector.close();
	}

}
