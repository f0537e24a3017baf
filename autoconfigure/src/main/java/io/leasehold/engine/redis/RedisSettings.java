package io.leasehold.engine.redis;

import java.time.Duration;

/**
 * How the Redis engine works. The figures depend on one another; a combination that would
 * starve waiters or leave residue is refused.
 *
 * @param namespace first part of every name in the store
 * @param pollInterval longest time between two polls of a waiting claim, P
 * @param grantLease lease of a grant that is handed to a waiting claim, until its
 * receiver extends it, G
 * @param commandTimeout longest time to wait for a connection and the answer of one
 * command, C
 * @param minValidity least time that a handed grant must be valid for to be entered by
 * the message alone, M
 * @param silenceTimeout how long a connection may leave requests unanswered before it is
 * given up for a new one, U
 * @param markerLifetime how long the store remembers that a claim whose connection broke
 * is over, T
 * @param fencingRetention how long the store remembers the last number of a key that is
 * no longer used; longer than the server's clock could ever step back
 * @param replicasToWait how many replicas must have a grant before it is believed, 0 not
 * to ask
 */
public record RedisSettings(String namespace, Duration pollInterval, Duration grantLease, Duration commandTimeout,
		Duration minValidity, Duration silenceTimeout, Duration markerLifetime, Duration fencingRetention,
		int replicasToWait) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Create settings.
	 * @throws IllegalArgumentException naming the property, if the engine cannot work
	 * with a value
	 */
	public RedisSettings {
		if (namespace.isBlank()) {
			throw new IllegalArgumentException("leasehold.namespace must not be blank");
		}
		check("leasehold.redis.poll-interval", pollInterval);
		check("leasehold.redis.grant-lease", grantLease);
		check("leasehold.redis.command-timeout", commandTimeout);
		check("leasehold.redis.min-validity", minValidity);
		check("leasehold.redis.silence-timeout", silenceTimeout);
		check("leasehold.redis.marker-lifetime", markerLifetime);
		check("leasehold.fencing.retention", fencingRetention);
		if (replicasToWait < 0) {
			throw new IllegalArgumentException(
					"leasehold.redis.replicas-to-wait must not be negative, but is " + replicasToWait);
		}
		longer("grant-lease", grantLease, pollInterval.plus(commandTimeout),
				"poll-interval plus command-timeout, or waiters starve when messages are lost");
		longer("min-validity", minValidity, commandTimeout.minusMillis(1),
				"or equal to command-timeout, or a grant may end before its extension is answered");
		longer("poll-interval", pollInterval.multipliedBy(2), commandTimeout.minusMillis(1),
				"half the command-timeout, or live waiters lose their place in the queue");
		longer("silence-timeout", silenceTimeout, commandTimeout.minusMillis(1), "or equal to command-timeout");
		longer("marker-lifetime", markerLifetime, silenceTimeout,
				"silence-timeout, or a late request may run after its claim is over");
	}

	/** Lifetime of a queue that nobody polls any more. */
	Duration queueLifetime() {
		return this.pollInterval.multipliedBy(4);
	}

	/**
	 * Lease of a grant handed to a claim with the given lease, which it never exceeds.
	 */
	Duration grantLease(Duration lease) {
		return (lease.compareTo(this.grantLease) < 0) ? lease : this.grantLease;
	}

	/** Poll interval of a claim with the given grant lease, well below it. */
	Duration pollInterval(Duration grantLease) {
		Duration third = grantLease.dividedBy(3);
		return (third.compareTo(this.pollInterval) < 0) ? third : this.pollInterval;
	}

	private static void check(String property, Duration value) {
		if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"%s must be at least 1ms and at most 3650d, but is %s".formatted(property, value));
		}
	}

	private static void longer(String property, Duration value, Duration limit, String than) {
		if (value.compareTo(limit) <= 0) {
			throw new IllegalArgumentException("leasehold.redis.%s must be longer than %s".formatted(property, than));
		}
	}

}
