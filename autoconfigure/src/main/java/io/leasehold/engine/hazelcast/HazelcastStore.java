package io.leasehold.engine.hazelcast;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.hazelcast.config.InvalidConfigurationException;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.EntryEvent;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.map.listener.EntryAddedListener;
import com.hazelcast.map.listener.EntryUpdatedListener;
import io.leasehold.engine.Subscription;
import io.leasehold.engine.cas.CompareAndSetStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Entries of locks in a map of Hazelcast. A map replaces a value atomically, but not with
 * a time to live. Therefore each write first puts an entry with the time to live, the
 * life of the value, and the value begins with its key: a value whose life has ended
 * counts as absent. Values themselves end by the time to live of the map. Calls block for
 * as long as Hazelcast does. Thread-safe.
 */
public final class HazelcastStore implements CompareAndSetStore {

	/** Name of the engine on this store. */
	public static final String NAME = "hazelcast";

	private static final Log logger = LogFactory.getLog(HazelcastStore.class);

	private static final char END_OF_LIFE = '\n';

	private final HazelcastInstance hazelcast;

	private final String name;

	private final Duration longest;

	private volatile @Nullable IMap<String, String> map;

	private HazelcastStore(HazelcastInstance hazelcast, String name, Duration longest) {
		this.hazelcast = hazelcast;
		this.name = name;
		this.longest = longest;
	}

	/**
	 * Create a store in a map of an application's cluster. The first request opens the
	 * map, and configures it unless the application has done so.
	 * @param hazelcast a member or a client, connected or not; the store never closes it
	 * @param name name of the map
	 * @param retention how long an unused entry is kept; no lock can be longer
	 * @return the store
	 * @throws IllegalArgumentException if the instance is a member, and the application's
	 * configuration of the map would lose or hide entries of held locks
	 */
	public static HazelcastStore open(HazelcastInstance hazelcast, String name, Duration retention) {
		Duration longest = Duration.ofSeconds(Math.min(Integer.MAX_VALUE, retention.toSeconds() + 1));
		MapCheck.check(hazelcast, name, longest);
		return new HazelcastStore(hazelcast, name, longest);
	}

	/** Concurrent first requests configure the map in the same way. */
	private IMap<String, String> map() {
		IMap<String, String> opened = this.map;
		if (opened == null) {
			configure();
			opened = this.hazelcast.getMap(this.name);
			this.map = opened;
		}
		return opened;
	}

	private void configure() {
		try {
			this.hazelcast.getConfig()
				.addMapConfig(new MapConfig(this.name).setTimeToLiveSeconds((int) this.longest.toSeconds()));
		}
		catch (InvalidConfigurationException ex) {
			logger.info("Locks use the map '%s' as the application configures it".formatted(this.name));
		}
	}

	@Override
	public String location() {
		return "map '%s'".formatted(this.name);
	}

	@Override
	public @Nullable Entry read(String key) {
		String value = map().get(key);
		while (value != null && !isAlive(value)) {
			String again = map().get(key);
			if (value.equals(again)) {
				return null;
			}
			value = again; // its life was removed with it
		}
		return (value != null) ? new Entry(value.substring(value.indexOf(END_OF_LIFE) + 1), value) : null;
	}

	/** A value without a life ends with its entry. */
	private boolean isAlive(String value) {
		String life = lifeOf(value);
		return life.isEmpty() || map().containsKey(life);
	}

	/** Return the life of a value, empty if it has none or was written by others. */
	private static String lifeOf(String value) {
		return value.substring(0, Math.max(0, value.indexOf(END_OF_LIFE)));
	}

	@Override
	public boolean create(String key, String value, Duration timeToLive) {
		String next = alive(key, value, timeToLive);
		String present = map().putIfAbsent(key, next);
		return written(key, next, present == null || !isAlive(present) && map().replace(key, present, next));
	}

	@Override
	public boolean replace(String key, Entry expected, String value, Duration timeToLive) {
		String next = alive(key, value, timeToLive);
		String present = (String) expected.version();
		boolean written = written(key, next, map().replace(key, present, next));
		if (written) {
			end(present);
		}
		return written;
	}

	@Override
	public Duration maxTimeToLive() {
		return this.longest;
	}

	/** Put a life, and return the value with its key. */
	private String alive(String key, String value, Duration timeToLive) {
		if (timeToLive.compareTo(this.longest) > 0) {
			throw new IllegalArgumentException(
					"it would be locked for up to %s, longer than leasehold.fencing.retention".formatted(timeToLive));
		}
		if (timeToLive.equals(this.longest)) {
			return END_OF_LIFE + value;
		}
		String life = key + "!" + UUID.randomUUID();
		map().set(life, "", timeToLive.toSeconds(), TimeUnit.SECONDS);
		return life + END_OF_LIFE + value;
	}

	/**
	 * Hazelcast repeats a request if a member fails before it responds, so a rejected
	 * write may have been executed before.
	 */
	private boolean written(String key, String next, boolean response) {
		if (response || next.equals(map().get(key))) {
			return true;
		}
		end(next);
		return false;
	}

	/** Remove a life that is not needed any more, without waiting for it. */
	private void end(String value) {
		String life = lifeOf(value);
		if (!life.isEmpty()) {
			map().removeAsync(life);
		}
	}

	@Override
	public Subscription watch(String key, Runnable changed) {
		IMap<String, String> watched = map();
		UUID listener = watched.addEntryListener(new Changes(changed), key, false);
		return () -> watched.removeEntryListener(listener);
	}

	/**
	 * Listener for writes of an entry.
	 */
	private record Changes(
			Runnable changed) implements EntryAddedListener<String, String>, EntryUpdatedListener<String, String> {

		@Override
		public void entryAdded(EntryEvent<String, String> event) {
			this.changed.run();
		}

		@Override
		public void entryUpdated(EntryEvent<String, String> event) {
			this.changed.run();
		}

	}

}
