package io.leasehold.engine.zookeeper;

import java.time.Duration;

/**
 * Settings of the ZooKeeper engine.
 *
 * @param namespace name that separates the locks of applications that share an ensemble
 * @param basePath path of the node above all locks, such as {@code /leasehold}
 * @param callTimeout maximum time to wait for a connection and for a response
 * @param pollInterval maximum time between two polls of a waiting process, whose watch
 * may be lost
 */
public record ZooKeeperSettings(String namespace, String basePath, Duration callTimeout, Duration pollInterval) {

	/**
	 * Create settings.
	 * @throws IllegalArgumentException if a value is invalid
	 */
	public ZooKeeperSettings {
		if (namespace.isBlank()) {
			throw new IllegalArgumentException("leasehold.namespace must not be blank");
		}
		if (!basePath.matches("(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")) {
			throw new IllegalArgumentException(
					"leasehold.zookeeper.base-path ('%s') must be a path such as /leasehold, of letters, digits, '.', '_' and '-'"
						.formatted(basePath));
		}
		requirePositive("call-timeout", callTimeout);
		requirePositive("poll-interval", pollInterval);
	}

	private static void requirePositive(String name, Duration value) {
		if (value.toMillis() < 1) {
			throw new IllegalArgumentException(
					"leasehold.zookeeper.%s (%s) must be at least 1ms".formatted(name, value));
		}
	}

}
