package io.leasehold.benchmark.store;

/**
 * Kinds of stores.
 */
public enum Store {

	REDIS;

	/** Start a server on this machine, which loses its data when it stops. */
	public Server start() throws Exception {
		return switch (this) {
			case REDIS -> new RedisServerProcess();
		};
	}

}
