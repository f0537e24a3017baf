package io.leasehold.engine.jdbc;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Notifications of waiting claims when the database publishes that their row was freed,
 * and of holders when it publishes that their grant was revoked. Thread-safe.
 */
final class WakeUps implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(WakeUps.class);

	private final DataSource connections;

	private final String channel;

	private final Consumer<RevokedGrant> revoked;

	private final Map<String, List<Consumer<Signal>>> listeners = new ConcurrentHashMap<>();

	private @Nullable ChannelListener listener;

	private boolean closed;

	/**
	 * Create the notifications.
	 * @param connections source of the listening connection
	 * @param channel channel on which the database publishes {@linkplain RowId row ids}
	 * and {@linkplain RevokedGrant revoked grants}
	 * @param revoked receives the revoked grants of all processes
	 */
	WakeUps(DataSource connections, String channel, Consumer<RevokedGrant> revoked) {
		this.connections = connections;
		this.channel = channel;
		this.revoked = revoked;
	}

	/** Notify a claim whenever the row is freed, until the result is closed. */
	Subscription listen(RowId row, Consumer<Signal> listener) {
		String payload = row.toString();
		this.listeners.merge(payload, List.of(listener),
				(some, more) -> Stream.concat(some.stream(), more.stream()).toList());
		start();
		return () -> this.listeners.computeIfPresent(payload, (same, some) -> without(some, listener));
	}

	private static @Nullable List<Consumer<Signal>> without(List<Consumer<Signal>> some, Consumer<Signal> listener) {
		List<Consumer<Signal>> rest = some.stream().filter((other) -> other != listener).toList();
		return rest.isEmpty() ? null : rest;
	}

	/** Begin to listen, unless that has begun. */
	synchronized void start() {
		if (this.listener == null && !this.closed) {
			this.listener = new ChannelListener(this.connections, this.channel, this::receive, this::missed);
		}
	}

	private void receive(String payload) {
		RevokedGrant grant = RevokedGrant.parse(payload);
		if (grant != null) {
			this.revoked.accept(grant);
			return;
		}
		this.listeners.getOrDefault(payload, List.of()).forEach(WakeUps::wake);
	}

	private void missed() {
		this.listeners.values().forEach((some) -> some.forEach(WakeUps::wake));
	}

	private static void wake(Consumer<Signal> listener) {
		try {
			listener.accept(new Signal.Retry());
		}
		catch (RuntimeException ex) {
			logger.warn("Could not notify a waiting claim; it continues to poll", ex);
		}
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		if (this.listener != null) {
			this.listener.close();
		}
	}

}
