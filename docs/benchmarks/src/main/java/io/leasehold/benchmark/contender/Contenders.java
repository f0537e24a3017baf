package io.leasehold.benchmark.contender;

import java.util.List;
import java.util.Map;
import java.util.function.Function;

import io.leasehold.benchmark.store.Store;

/**
 * All contenders, by store and name.
 */
public final class Contenders {

	/** The bare calls: the floor of uncontended work. */
	public static final String BARE = "bare calls";

	/** A queue in the JVM before the bare calls: the floor of contended work. */
	public static final String QUEUE = "local queue + bare calls";

	/** This library. */
	public static final String LEASEHOLD = "leasehold";

	private Contenders() {
	}

	/** Names of all that lock on a store. */
	public static List<String> of(Store store) {
		return List.copyOf(all(store).keySet());
	}

	/**
	 * Start one.
	 * @param store the kind of store
	 * @param name the contender's name
	 * @param address where the store is
	 */
	public static Contender open(Store store, String name, String address) {
		Function<String, Contender> opening = all(store).get(name);
		if (opening == null) {
			throw new IllegalArgumentException("No contender '%s', but %s".formatted(name, of(store)));
		}
		return opening.apply(address);
	}

	private static Map<String, Function<String, Contender>> all(Store store) {
		return switch (store) {
			case REDIS -> RedisContenders.all();
			case POSTGRESQL -> JdbcContenders.ofPostgres();
			case MARIADB, MYSQL -> JdbcContenders.all(BareJdbc.MYSQL);
			case ZOOKEEPER -> ZooKeeperContenders.all();
			case ETCD -> EtcdContenders.all();
			case REDLOCK -> RedlockContenders.all();
			case HAZELCAST -> HazelcastContenders.all();
			case MEMCACHED -> MemcachedContenders.all();
		};
	}

}
