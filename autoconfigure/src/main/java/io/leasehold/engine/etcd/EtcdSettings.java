package io.leasehold.engine.etcd;

import java.time.Duration;

import io.leasehold.engine.RenewalRule;

/**
 * Settings of the etcd engine.
 *
 * @param namespace name that separates the locks of applications that share a cluster;
 * all keys begin with it
 * @param sessionTimeout how long locks outlive a process that died or was disconnected.
 * Locks with shorter leases have shorter sessions. Rounded up to whole seconds; the store
 * has a minimum, two seconds by default
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
		Duration least = shortestSession(callTimeout);
		if (sessionTimeout.compareTo(least) < 0) {
			throw new IllegalArgumentException(
					"leasehold.etcd.session-timeout (%s) must be at least %s, eight thirds of call-timeout"
						.formatted(sessionTimeout, least));
		}
	}

	/**
	 * Return the timeout of the session for the shortest lease.
	 * @param callTimeout maximum time to wait for a response
	 * @return the timeout
	 */
	public static Duration shortestSession(Duration callTimeout) {
		return RenewalRule.sessionTimeout(RenewalRule.minLease(callTimeout));
	}

	/**
	 * Return the timeout of the session for a lease. It is the shortest one with which
	 * grants are valid for the whole lease, out of a few: each of them is twice as long
	 * as the one before, so that no process has many sessions.
	 * @param lease the lease
	 * @return the timeout, at most {@link #sessionTimeout()}
	 */
	Duration sessionFor(Duration lease) {
		Duration needed = RenewalRule.sessionTimeout(lease);
		Duration session = shortestSession(this.callTimeout);
		while (session.compareTo(needed) < 0 && session.compareTo(this.sessionTimeout) < 0) {
			session = session.multipliedBy(2);
		}
		return (session.compareTo(this.sessionTimeout) < 0) ? session : this.sessionTimeout;
	}

	private static void requirePositive(String name, Duration value) {
		if (value.toMillis() < 1) {
			throw new IllegalArgumentException("leasehold.etcd.%s (%s) must be at least 1ms".formatted(name, value));
		}
	}

}
