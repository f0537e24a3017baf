package io.leasehold.benchmark.store;

/**
 * Kinds of stores.
 */
public enum Store {

	REDIS, POSTGRESQL, MARIADB, ZOOKEEPER;

	/** Start a server on this machine, which loses its data when it stops. */
	public Server start() throws Exception {
		return switch (this) {
			case REDIS -> new RedisServerProcess();
			case POSTGRESQL -> new PostgresServerProcess();
			case MARIADB -> new MariaDbServerProcess();
			case ZOOKEEPER -> new ZooKeeperServerProcess();
		};
	}

}
