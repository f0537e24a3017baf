package io.leasehold.engine.etcd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Watch on the removal of one key, or of the keys of a range. It ends once. Thread-safe.
 */
final class Watch {

	private static final int WITHOUT_PUTS = 0;

	private final String key;

	private final @Nullable String rangeEnd;

	private final long after;

	private final Predicate<Collection<String>> isOver;

	private final BiConsumer<Watch, End> listener;

	private final List<String> removed = new ArrayList<>();

	/** Number of the watch in its stream, zero before the server has assigned one. */
	private volatile long id;

	private final AtomicBoolean ended = new AtomicBoolean();

	/**
	 * Create a watch that is not open yet.
	 * @param rangeEnd end of the range, or {@code null} for a single key
	 * @param after revision after which removals are reported
	 * @param isOver whether the removal of these keys ends the watch
	 * @param listener called once, unless the watch is closed before
	 */
	Watch(String key, @Nullable String rangeEnd, long after, Predicate<Collection<String>> isOver,
			BiConsumer<Watch, End> listener) {
		this.key = key;
		this.rangeEnd = rangeEnd;
		this.after = after;
		this.isOver = isOver;
		this.listener = listener;
	}

	String key() {
		return this.key;
	}

	long id() {
		return this.id;
	}

	void id(long assigned) {
		this.id = assigned;
	}

	/** Return the request to create it. */
	Message request() {
		Message create = Message.of(1, this.key).with(3, this.after + 1).with(5, WITHOUT_PUTS);
		return Message.of(1, (this.rangeEnd != null) ? create.with(2, this.rangeEnd) : create);
	}

	/** Process removals, one call after another. */
	void removed(List<String> keys) {
		this.removed.addAll(keys);
		if (this.isOver.test(this.removed)) {
			end(End.REMOVED);
		}
	}

	void end(End how) {
		if (close()) {
			this.listener.accept(this, how);
		}
	}

	boolean hasEnded() {
		return this.ended.get();
	}

	/** End the watch without a report. Return whether it had not ended before. */
	boolean close() {
		return this.ended.compareAndSet(false, true);
	}

	/**
	 * Reason why a watch has ended.
	 */
	enum End {

		/** The awaited keys were removed. */
		REMOVED,

		/** The awaited keys may have been removed. */
		MISSED,

		/** The server ends each watch at once; polls must replace it. */
		UNAVAILABLE

	}

}
