package io.leasehold.engine.etcd;

import java.time.Duration;

/**
 * Settings of the etcd engine.
 *
 * @param namespace name that separates the locks of applications that share a cluster;
 * all keys begin with it
 * @param sessionTimeout how long locks outlive a process that died or was disconnected.
 * Rounded up to whole seconds; the store has a minimum, two seconds by default
 * @param callTimeout maximum time to wait for a response
 * @param pollInterval maximum time between two polls of a waiting process, whose watch
 * may have failed
 */
public record EtcdSettings(String namespace, Duration sessionTimeout, Duration callTimeout, Duration pollInterval) {

	/**
	 * Create settings.
	 * @throws IllegalArgumentException if a value is invalid
	 */
	public EtcdSettings {
		if (namespace.isBlank()) {
			throw new IllegalArgumentException("leasehold.namespace must not be blank");
		}
		requirePositive("call-timeout", callTimeout);
		requirePositive("poll-interval", pollInterval);
		Duration least = sessionTimeout(callTimeout.multipliedBy(2));
		if (sessionTimeout.compareTo(least) < 0) {
			throw new IllegalArgumentException(
					"leasehold.etcd.session-timeout (%s) must be at least %s, eight thirds of call-timeout"
						.formatted(sessionTimeout, least));
		}
	}

	/**
	 * Return the session timeout with which grants are valid for a whole lease at any
	 * time: four thirds of it.
	 * @param lease the lease
	 * @return the session timeout
	 */
	public static Duration sessionTimeout(Duration lease) {
		return lease.multipliedBy(4).dividedBy(3);
	}

	private static void requirePositive(String name, Duration value) {
		if (value.toMillis() < 1) {
			throw new IllegalArgumentException("leasehold.etcd.%s (%s) must be at least 1ms".formatted(name, value));
		}
	}

}
