package io.leasehold.engine.etcd;

import java.util.Collection;
import java.util.Set;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Reason why a claim does not hold its lock: one key, or the keys of several permits.
 *
 * @param key the key, or the beginning of all keys of the lock
 * @param rangeEnd end of the range of keys, or {@code null} for one key
 * @param revision revision at which it was seen
 * @param order all claims up to the waiting one, which matters only for a range
 */
record Obstacle(String key, @Nullable String rangeEnd, long revision, ClaimOrder order) {

	static Obstacle of(ClaimOrder order, String prefix, long revision) {
		String key = order.obstacle();
		return (key != null) ? new Obstacle(key, null, revision, order)
				: new Obstacle(prefix, KeyValue.rangeEnd(prefix), revision, order);
	}

	/** Return a watch on this obstacle that is not open yet. */
	Watch watch(BiConsumer<Watch, Watch.End> listener) {
		return new Watch(this.key, this.rangeEnd, this.revision, this::isOver, listener);
	}

	/** Return whether the claim may hold the lock after these keys were removed. */
	boolean isOver(Collection<String> removed) {
		return this.rangeEnd == null || this.order.without(Set.copyOf(removed)).lastHolds();
	}

}
