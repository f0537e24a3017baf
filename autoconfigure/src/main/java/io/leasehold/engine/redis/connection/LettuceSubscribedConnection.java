package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * Lettuce connection for messages that never reconnects.
 */
final class LettuceSubscribedConnection extends RedisPubSubAdapter<String, String>
		implements SubscribedConnection, RedisConnectionStateListener {

	private final StatefulRedisPubSubConnection<String, String> connection;

	private final Consumer<String> messages;

	private final Runnable lost;

	private final AtomicBoolean closed = new AtomicBoolean();

	LettuceSubscribedConnection(StatefulRedisPubSubConnection<String, String> connection, Consumer<String> messages,
			Runnable lost) {
		this.connection = connection;
		this.messages = messages;
		this.lost = lost;
	}

	/** Subscribe to a channel; close the connection on failure. */
	LettuceSubscribedConnection subscribe(String channel, Duration timeout) {
		this.connection.addListener((RedisConnectionStateListener) this);
		this.connection.addListener((io.lettuce.core.pubsub.RedisPubSubListener<String, String>) this);
		try {
			Replies.await(this.connection.async().subscribe(channel), System.nanoTime() + timeout.toNanos());
			return this;
		}
		catch (RedisFailure ex) {
			close();
			throw LettuceRequest.failure(ex);
		}
	}

	@Override
	public void message(String channel, String message) {
		this.messages.accept(message);
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
		this.lost.run();
	}

	@Override
	public boolean isOpen() {
		return !this.closed.get() && this.connection.isOpen();
	}

	@Override
	public CompletionStage<?> ping() {
		return this.connection.async().ping();
	}

	@Override
	public void close() {
		if (this.closed.compareAndSet(false, true)) { // Lettuce warns if closed twice
			this.connection.closeAsync();
		}
	}

}
