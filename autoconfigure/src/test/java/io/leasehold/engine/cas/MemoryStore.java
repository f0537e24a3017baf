package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * A store in memory, whose entries end by a separate clock. {@link #connect()} returns
 * connections that can go wrong.
 */
class MemoryStore implements CompareAndSetStore {

	private final MonotonicClock clock;

	private final ConcurrentHashMap<String, Item> items = new ConcurrentHashMap<>();

	private final List<Watch> watches = new CopyOnWriteArrayList<>();

	private long versions;

	MemoryStore(MonotonicClock clock) {
		this.clock = clock;
	}

	@Override
	public synchronized @Nullable Entry read(String key) {
		Item item = find(key);
		return (item != null) ? new Entry(item.value, item.version) : null;
	}

	@Override
	public boolean create(String key, String value, Duration timeToLive) {
		return write(key, null, value, timeToLive);
	}

	@Override
	public boolean replace(String key, Entry expected, String value, Duration timeToLive) {
		return write(key, expected, value, timeToLive);
	}

	private boolean write(String key, @Nullable Entry expected, String value, Duration timeToLive) {
		synchronized (this) {
			Item present = find(key);
			boolean same = (expected != null) ? present != null && expected.version().equals(present.version)
					: present == null;
			if (!same) {
				return false;
			}
			this.items.put(key, new Item(value, ++this.versions, timeToLive, this.clock.nanoTime()));
		}
		this.watches.stream().filter((watch) -> watch.key.equals(key)).forEach((watch) -> watch.changed.run());
		return true;
	}

	private @Nullable Item find(String key) {
		this.items.computeIfPresent(key,
				(same, item) -> (this.clock.nanoTime() - item.written >= item.timeToLive.toNanos()) ? null : item);
		return this.items.get(key);
	}

	/** Lose an entry, as by eviction. */
	synchronized void lose(String key) {
		this.items.remove(key);
	}

	/** Start again, empty and with the first version. */
	synchronized void restart() {
		this.items.clear();
		this.versions = 0;
	}

	/** Return the number of writes since the start. */
	synchronized long writes() {
		return this.versions;
	}

	/** Return the time to live with which an entry was last written. */
	Duration timeToLive(String key) {
		return this.items.get(key).timeToLive;
	}

	/** Return the records that are more than a last grant number. */
	synchronized Collection<String> residue(String prefix) {
		List<String> left = new ArrayList<>();
		for (String key : this.items.keySet()) {
			Item item = find(key);
			if (key.startsWith(prefix) && item != null && !LockRecord.parse(item.value).isIdle()) {
				left.add(key + "\n" + item.value);
			}
		}
		return left;
	}

	/** Return a connection that reports changes. */
	Connection watching() {
		return new Connection(this) {

			@Override
			public Subscription watch(String key, Runnable changed) {
				Watch watch = new Watch(key, changed);
				MemoryStore.this.watches.add(watch);
				return () -> MemoryStore.this.watches.remove(watch);
			}

		};
	}

	Connection connect() {
		return new Connection(this);
	}

	private record Item(String value, long version, Duration timeToLive, long written) {
	}

	private static final class Watch {

		private final String key;

		private final Runnable changed;

		Watch(String key, Runnable changed) {
			this.key = key;
			this.changed = changed;
		}

	}

	/** One request to the store. */
	interface Request<T extends @Nullable Object> {

		T send() throws Exception;

	}

	/** A connection of one process; subclasses let it go wrong. */
	static class Connection implements CompareAndSetStore {

		private final CompareAndSetStore store;

		Connection(CompareAndSetStore store) {
			this.store = store;
		}

		/** Send a read. */
		@Nullable Entry reading(String key, Request<@Nullable Entry> request) throws Exception {
			return request.send();
		}

		/** Send a write. */
		boolean writing(String key, Request<Boolean> request) throws Exception {
			return request.send();
		}

		@Override
		public @Nullable Entry read(String key) throws Exception {
			return reading(key, () -> this.store.read(key));
		}

		@Override
		public boolean create(String key, String value, Duration timeToLive) throws Exception {
			return writing(key, () -> this.store.create(key, value, timeToLive));
		}

		@Override
		public boolean replace(String key, Entry expected, String value, Duration timeToLive) throws Exception {
			return writing(key, () -> this.store.replace(key, expected, value, timeToLive));
		}

	}

}
