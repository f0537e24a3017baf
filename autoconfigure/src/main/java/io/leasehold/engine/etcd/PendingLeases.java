package io.leasehold.engine.etcd;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Leases whose creation, use or end has had no response yet. If none arrives, they may
 * exist without a key. Thread-safe; never blocks.
 */
final class PendingLeases {

	/** After this time, no request is executed any more. */
	private static final Duration LATEST = Duration.ofMinutes(5);

	/** The store forgets others by itself. */
	private static final int MOST = 1000;

	/** Time of the request by id, the first one first. */
	private final Map<Long, Long> requested = new LinkedHashMap<>();

	synchronized void add(long lease, long now) {
		this.requested.put(lease, now);
		if (this.requested.size() > MOST) {
			this.requested.remove(this.requested.keySet().iterator().next());
		}
	}

	/** A lease has a key, or has ended. */
	synchronized void remove(long lease) {
		this.requested.remove(lease);
	}

	/** Return a lease that lacks its response for good, or {@code null}. */
	synchronized @Nullable Long next(long now) {
		if (this.requested.isEmpty()) {
			return null;
		}
		Map.Entry<Long, Long> first = this.requested.entrySet().iterator().next();
		return (now - first.getValue() >= LATEST.toNanos()) ? first.getKey() : null;
	}

}
