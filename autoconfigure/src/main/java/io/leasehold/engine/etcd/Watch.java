package io.leasehold.engine.etcd;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
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

	private final AtomicBoolean begun = new AtomicBoolean();

	private final AtomicBoolean ended = new AtomicBoolean();

	private Watch(String key, @Nullable String rangeEnd, long after, Predicate<Collection<String>> isOver,
			BiConsumer<Watch, End> listener) {
		this.key = key;
		this.rangeEnd = rangeEnd;
		this.after = after;
		this.isOver = isOver;
		this.listener = listener;
	}

	/**
	 * Return a watch on a key that is not open yet.
	 * @param after revision after which the removal is reported
	 * @param listener called once, unless the watch is closed before
	 */
	static Watch on(String key, long after, BiConsumer<Watch, End> listener) {
		return new Watch(key, null, after, (removed) -> true, listener);
	}

	/**
	 * Return a watch on the obstacle of the last claim in an order: one key, or the keys
	 * of several permits. It ends when the claim may hold the lock.
	 * @param prefix beginning of all keys of the lock
	 */
	static Watch on(ClaimOrder order, String prefix, long after, BiConsumer<Watch, End> listener) {
		String key = order.obstacle();
		return (key != null) ? on(key, after, listener) : new Watch(prefix, KeyValue.rangeEnd(prefix), after,
				(removed) -> order.without(Set.copyOf(removed)).lastHolds(), listener);
	}

	/** Return the key, or the beginning of the keys of a range. */
	String key() {
		return this.key;
	}

	/** Return whether to open the watch now: once. */
	boolean begin() {
		return this.begun.compareAndSet(false, true);
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
