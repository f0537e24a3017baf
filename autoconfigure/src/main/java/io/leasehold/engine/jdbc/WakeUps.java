package io.leasehold.engine.jdbc;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.leasehold.engine.Signal;
import io.leasehold.engine.Subscription;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Notifications of waiting claims when the database publishes that their row was freed,
 * and of holders when it publishes that their grant was revoked or recalled. Thread-safe.
 */
final class WakeUps extends ChannelListener {

	private static final Log logger = LogFactory.getLog(WakeUps.class);

	private final Predicate<String> reports;

	private final Map<String, List<Consumer<Signal>>> listeners = new ConcurrentHashMap<>();

	/**
	 * Create the notifications.
	 * @param connections source of the listening connection
	 * @param channel channel on which the database publishes {@linkplain RowId row ids}
	 * and reports about grants
	 * @param reports processes a payload if it is a report about a grant of any process
	 */
	WakeUps(DataSource connections, String channel, Predicate<String> reports) {
		super(connections, channel);
		this.reports = reports;
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

	@Override
	void receive(String payload) {
		if (!this.reports.test(payload)) {
			this.listeners.getOrDefault(payload, List.of()).forEach(WakeUps::wake);
		}
	}

	@Override
	void missed() {
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

}
