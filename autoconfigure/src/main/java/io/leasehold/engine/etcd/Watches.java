package io.leasehold.engine.etcd;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Limit of the open watches of waiting claims: servers and proxies limit the streams of a
 * connection. Thread-safe.
 */
final class Watches {

	static final int LIMIT = 64;

	private final Store store;

	private final AtomicInteger open = new AtomicInteger();

	Watches(Store store) {
		this.store = store;
	}

	/** Return a watch that is not open yet, or {@code null} if there are too many. */
	@Nullable Watch begin(Obstacle obstacle, BiConsumer<Watch, Boolean> listener) {
		if (this.open.incrementAndGet() > LIMIT) {
			this.open.decrementAndGet();
			return null;
		}
		return new Watch(this.store, obstacle, listener, this.open::decrementAndGet);
	}

	/** Return whether another claim may be watched. */
	boolean haveRoom() {
		return this.open.get() < LIMIT;
	}

}
