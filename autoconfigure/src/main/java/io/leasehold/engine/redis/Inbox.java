package io.leasehold.engine.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The one channel on which a member hears of its grants. Opened with the first waiting
 * claim, then kept: subscribed again whenever it broke. Thread-safe.
 */
final class Inbox {

	private static final Log logger = LogFactory.getLog(Inbox.class);

	private static final long RETRY_MILLIS = 250;

	private final String channel;

	private final RedisSettings settings;

	private final Supplier<StatefulRedisPubSubConnection<String, String>> opener;

	private final ScheduledExecutorService executor;

	private final Consumer<String> messages;

	private final Runnable subscribed;

	private final AtomicBoolean started = new AtomicBoolean();

	private final CompletableFuture<Boolean> firstAttempt = new CompletableFuture<>();

	private final AtomicReference<@Nullable Subscription> current = new AtomicReference<>();

	/**
	 * Create an inbox.
	 * @param messages told of each message
	 * @param subscribed told of each subscription: messages before it may have been lost
	 */
	Inbox(String channel, RedisSettings settings, Supplier<StatefulRedisPubSubConnection<String, String>> opener,
			ScheduledExecutorService executor, Consumer<String> messages, Runnable subscribed) {
		this.channel = channel;
		this.settings = settings;
		this.opener = opener;
		this.executor = executor;
		this.messages = messages;
		this.subscribed = subscribed;
	}

	/**
	 * Return whether messages get through now, as far as is known. The first caller waits
	 * until that is decided.
	 * @param deadline reading of {@link System#nanoTime()} when to stop waiting
	 */
	boolean hears(long deadline) {
		if (this.started.compareAndSet(false, true)) {
			this.executor.execute(this::open);
		}
		if (!this.firstAttempt.isDone()) {
			awaitFirstAttempt(deadline);
		}
		Subscription subscription = this.current.get();
		if (subscription != null) {
			subscription.check();
		}
		return subscription != null;
	}

	private void awaitFirstAttempt(long deadline) {
		try {
			Replies.await(this.firstAttempt, deadline);
		}
		catch (RedisException ex) {
			logger.debug("Waiting claims poll until there is a subscription", ex);
		}
	}

	private void open() {
		StatefulRedisPubSubConnection<String, String> connection = null;
		try {
			connection = this.opener.get();
			Subscription subscription = new Subscription(connection);
			connection.addListener(subscription.ear());
			connection.addListener(subscription);
			Replies.await(connection.async().subscribe(this.channel),
					System.nanoTime() + this.settings.commandTimeout().toNanos());
			this.current.set(subscription);
			if (!connection.isOpen()) {
				subscription.lost();
				return;
			}
			this.subscribed.run();
		}
		catch (RuntimeException ex) {
			logger.debug("No subscription to '%s'; retrying".formatted(this.channel), ex);
			if (connection != null) {
				connection.closeAsync();
			}
			openLater();
		}
		finally {
			this.firstAttempt.complete(true);
		}
	}

	private void openLater() {
		this.executor.schedule(this::open, RETRY_MILLIS, TimeUnit.MILLISECONDS);
	}

	/** One connection, until it breaks. */
	private final class Subscription implements RedisConnectionStateListener {

		private final StatefulRedisPubSubConnection<String, String> connection;

		private final AtomicBoolean pinging = new AtomicBoolean();

		private volatile long heard = System.nanoTime();

		Subscription(StatefulRedisPubSubConnection<String, String> connection) {
			this.connection = connection;
		}

		RedisPubSubAdapter<String, String> ear() {
			return new RedisPubSubAdapter<>() {

				@Override
				public void message(String channel, String message) {
					Subscription.this.heard = System.nanoTime();
					Inbox.this.messages.accept(message);
				}

			};
		}

		/** A connection that only listens does not notice its own death. */
		void check() {
			long silence = System.nanoTime() - this.heard;
			if (silence > Inbox.this.settings.silenceTimeout().toNanos() && this.pinging.get()) {
				this.connection.closeAsync();
			}
			else if (silence > Inbox.this.settings.pollInterval().toNanos()
					&& this.pinging.compareAndSet(false, true)) {
				this.heard = System.nanoTime(); // a long silence before the question does
												// not count
				this.connection.async().ping().thenRun(() -> {
					this.heard = System.nanoTime();
					this.pinging.set(false);
				});
			}
		}

		@Override
		public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
			lost();
		}

		void lost() {
			if (Inbox.this.current.compareAndSet(this, null)) {
				openLater();
			}
		}

	}

}
