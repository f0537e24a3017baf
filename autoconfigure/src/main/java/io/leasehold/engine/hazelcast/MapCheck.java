package io.leasehold.engine.hazelcast;

import java.time.Duration;

import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.HazelcastInstance;
import org.jspecify.annotations.Nullable;

/**
 * Check of the application's configuration for the map of locks, which takes precedence
 * over that of the store, also if it is for a wildcard.
 */
final class MapCheck {

	private MapCheck() {
	}

	/**
	 * Check the map. A client does not know the configuration of its cluster.
	 * @param longest longest time to live of an entry
	 * @throws IllegalArgumentException if the map would lose or hide entries of held
	 * locks
	 */
	static void check(HazelcastInstance hazelcast, String map, Duration longest) {
		MapConfig config = find(hazelcast, map);
		String unsuitable = (config != null) ? unsuitable(config, longest) : null;
		if (config != null && unsuitable != null) {
			throw new IllegalArgumentException(
					"The map '%s' would lose or hide entries of held locks, since the configuration of map '%s' applies to it: %s"
						.formatted(map, config.getName(), unsuitable));
		}
	}

	private static @Nullable MapConfig find(HazelcastInstance hazelcast, String map) {
		try {
			return hazelcast.getConfig().getMapConfigOrNull(map);
		}
		catch (UnsupportedOperationException ex) {
			return null;
		}
	}

	private static @Nullable String unsuitable(MapConfig config, Duration longest) {
		EvictionPolicy eviction = config.getEvictionConfig().getEvictionPolicy();
		int timeToLive = config.getTimeToLiveSeconds();
		if (eviction != EvictionPolicy.NONE) {
			return "its eviction-policy is " + eviction;
		}
		if (config.getMaxIdleSeconds() != 0) {
			return "its max-idle-seconds is " + config.getMaxIdleSeconds();
		}
		if (timeToLive != 0 && timeToLive < longest.toSeconds()) {
			return "its time-to-live-seconds is %s, shorter than leasehold.fencing.retention".formatted(timeToLive);
		}
		if (config.isNearCacheEnabled()) {
			return "its near-cache is configured";
		}
		return config.isReadBackupData() ? "its read-backup-data is true" : null;
	}

}
