package io.leasehold.autoconfigure.containers;

/**
 * Names of the images of each store, without registry and tag. A service or container
 * with another image has one of them as the name of its connection, such as {@code etcd}.
 */
final class Images {

	static final String[] ETCD = { "etcd", "coreos/etcd", "etcd-development/etcd", "bitnami/etcd",
			"bitnamilegacy/etcd" };

	static final String[] MEMCACHED = { "memcached", "bitnami/memcached", "bitnamilegacy/memcached" };

	static final String[] ZOOKEEPER = { "zookeeper", "bitnami/zookeeper", "bitnamilegacy/zookeeper" };

	private Images() {
	}

}
