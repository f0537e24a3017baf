package io.leasehold.sample.toy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.leasehold.engine.cas.CompareAndSetStore;
import org.jspecify.annotations.Nullable;

/**
 * Store that represents a server. Each method is one atomic request. Entries end by the
 * clock of the store.
 */
public class ToyStore implements CompareAndSetStore {

	private final Map<String, Item> items = new HashMap<>();

	@Override
	public synchronized @Nullable Entry read(String key) {
		this.items.values().removeIf(Item::hasEnded);
		Item item = this.items.get(key);
		return (item != null) ? new Entry(item.value()) : null;
	}

	@Override
	public synchronized boolean create(String key, String value, Duration timeToLive) {
		return read(key) == null && write(key, value, timeToLive);
	}

	@Override
	public synchronized boolean replace(String key, Entry expected, String value, Duration timeToLive) {
		return expected.equals(read(key)) && write(key, value, timeToLive);
	}

	private boolean write(String key, String value, Duration timeToLive) {
		this.items.put(key, new Item(value, System.nanoTime() + timeToLive.toNanos()));
		return true;
	}

	/** Remove an entry, as a server does that restarts. */
	synchronized void lose(String key) {
		this.items.remove(key);
	}

	/**
	 * Return how many locks are held or awaited; other entries are last grant numbers.
	 */
	synchronized int size() {
		return (int) this.items.values().stream().filter(Item::isInUse).count();
	}

	/**
	 * Value of an entry.
	 *
	 * @param value the value
	 * @param end reading of the store's clock at the end of the entry
	 */
	private record Item(String value, long end) {

		boolean hasEnded() {
			return this.end - System.nanoTime() <= 0;
		}

		boolean isInUse() {
			return !hasEnded() && this.value.lines().count() > 1;
		}

	}

}
