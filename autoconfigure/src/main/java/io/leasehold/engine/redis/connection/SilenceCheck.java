package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Check that a subscribed connection responds, because one that only receives detects no
 * failure. Thread-safe; never blocks.
 */
public final class SilenceCheck {

	private final Duration timeout;

	private final ScheduledExecutorService executor;

	private final AtomicBoolean running = new AtomicBoolean();

	public SilenceCheck(Duration timeout, ScheduledExecutorService executor) {
		this.timeout = timeout;
		this.executor = executor;
	}

	/**
	 * Ping a connection, and close it if it does not respond within the timeout. Does
	 * nothing until the check before has ended.
	 */
	public void begin(SubscribedConnection connection) {
		if (this.running.compareAndSet(false, true)) {
			CompletableFuture<?> pong = connection.ping().toCompletableFuture();
			this.executor.schedule(() -> {
				this.running.set(false);
				if (!pong.isDone()) {
					connection.close();
				}
			}, this.timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

}
