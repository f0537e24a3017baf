package io.leasehold.event;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Counter of events whose queue was full. Logs a warning with their kinds and the reason:
 * for the first event at once, then at most once a minute. Thread-safe.
 */
final class DroppedEvents {

	private static final Log logger = LogFactory.getLog(DroppedEvents.class);

	private static final Duration PAUSE = Duration.ofMinutes(1);

	/** A listener that has been running for this time is reported as the reason. */
	private static final Duration BLOCKED = Duration.ofSeconds(1);

	private final String queue;

	private final LongSupplier clock;

	private final Map<String, Long> unreported = new TreeMap<>();

	private long count;

	private long nextWarning;

	DroppedEvents(String queue) {
		this(queue, System::nanoTime);
	}

	DroppedEvents(String queue, LongSupplier clock) {
		this.queue = queue;
		this.clock = clock;
		this.nextWarning = clock.getAsLong();
	}

	/**
	 * Count an event.
	 * @param event its kind
	 * @param room capacity of the queue for events of its class
	 * @param busyFor how long the current listener has been running
	 */
	void drop(String event, int room, Duration busyFor) {
		String warning;
		synchronized (this) {
			this.count++;
			this.unreported.merge(event, 1L, Long::sum);
			long now = this.clock.getAsLong();
			if (now - this.nextWarning < 0) {
				return;
			}
			this.nextWarning = now + PAUSE.toNanos();
			warning = warning(room, busyFor);
			this.unreported.clear();
		}
		logger.warn(warning);
	}

	synchronized long count() {
		return this.count;
	}

	private String warning(int room, Duration busyFor) {
		String events = this.unreported.entrySet()
			.stream()
			.map((entry) -> "%s %s".formatted(entry.getValue(), entry.getKey()))
			.collect(Collectors.joining(", "));
		String reason = (busyFor.compareTo(BLOCKED) >= 0)
				? "a listener has been blocking the thread '%s' for %s s".formatted(this.queue, busyFor.toSeconds())
				: "they occur faster than the thread '%s' can pass them to the listeners".formatted(this.queue);
		return "Lock events were dropped since the last warning: %s. %s were waiting already: %s".formatted(events,
				room, reason);
	}

}
