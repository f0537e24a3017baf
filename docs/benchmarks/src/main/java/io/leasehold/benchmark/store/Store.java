package io.leasehold.benchmark.store;

/**
 * Kinds of stores.
 */
public enum Store {

	REDIS, POSTGRESQL, MARIADB, MYSQL, ZOOKEEPER, ETCD, REDLOCK, HAZELCAST, MEMCACHED;

	/** Start a server on this machine, which loses its data when it stops. */
	public Server start() throws Exception {
		return switch (this) {
			case REDIS -> new RedisServerProcess();
			case POSTGRESQL -> new PostgresServerProcess();
			case MARIADB -> new MariaDbServerProcess();
			case MYSQL -> new MySqlServerProcess();
			case ZOOKEEPER -> new ZooKeeperServerProcess();
			case ETCD -> new EtcdServerProcess();
			case REDLOCK -> new RedlockServers();
			case HAZELCAST -> new HazelcastServerProcess();
			case MEMCACHED -> new MemcachedServerProcess();
		};
	}

}
