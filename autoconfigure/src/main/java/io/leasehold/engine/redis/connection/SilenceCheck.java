package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.leasehold.engine.support.PlannedOnce;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Check that a subscribed connection responds, because one that only receives detects no
 * failure. Thread-safe; never blocks.
 */
public final class SilenceCheck {

	private static final Log logger = LogFactory.getLog(SilenceCheck.class);

	private final Duration timeout;

	private final ScheduledExecutorService executor;

	private final PlannedOnce end = new PlannedOnce();

	public SilenceCheck(Duration timeout, ScheduledExecutorService executor) {
		this.timeout = timeout;
		this.executor = executor;
	}

	/**
	 * Ping a connection, and close it if it does not respond within the timeout, or
	 * cannot send the ping. Does nothing until the check before has ended.
	 */
	public void begin(SubscribedConnection connection) {
		this.end.plan(() -> {
			CompletableFuture<?> pong = ping(connection);
			this.executor.schedule(() -> {
				this.end.done();
				if (!pong.isDone()) {
					connection.close();
				}
			}, this.timeout.toNanos(), TimeUnit.NANOSECONDS);
		});
	}

	private static CompletableFuture<?> ping(SubscribedConnection connection) {
		try {
			return connection.ping().toCompletableFuture();
		}
		catch (RuntimeException | Error ex) {
			logger.debug("A subscribed connection cannot send a ping, and will be closed", ex);
			return new CompletableFuture<>();
		}
	}

}
