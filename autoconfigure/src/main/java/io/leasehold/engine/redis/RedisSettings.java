package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

import io.leasehold.engine.Capability;
import io.leasehold.engine.RenewalRule;
import io.leasehold.engine.support.Jitter;

/**
 * Settings of the Redis engine. The durations depend on one another: a combination that
 * would starve waiters or leave data behind is rejected.
 *
 * @param namespace first part of all names in the store
 * @param pollInterval maximum time between two polls of a waiting claim, P
 * @param grantLease lease of a grant handed to a waiting claim, until the claim extends
 * it, G
 * @param commandTimeout maximum time to wait for a connection and the response to one
 * command, C
 * @param minValidity minimum remaining validity of a handed grant that the claim accepts
 * by message, without a poll, M
 * @param silenceTimeout how long a connection may leave requests unanswered before it is
 * replaced, U
 * @param markerLifetime how long the store remembers the end of a claim whose connection
 * broke, T
 * @param fencingRetention how long the store remembers the last grant number of an unused
 * key; must exceed any backward step of the server's clock
 * @param replicasToWait how many replicas must confirm a grant, 0 for none
 * @param wakeUp how waiting claims are notified of their grants
 */
public record RedisSettings(String namespace, Duration pollInterval, Duration grantLease, Duration commandTimeout,
		Duration minValidity, Duration silenceTimeout, Duration markerLifetime, Duration fencingRetention,
		int replicasToWait, WakeUp wakeUp) {

	private static final Set<Capability> ALL = Set.of(Capability.values());

	private static final Set<Capability> WITHOUT_LINGER = Set
		.copyOf(EnumSet.complementOf(EnumSet.of(Capability.LINGER)));

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(3650);

	/** Delay of a poll after a lease's end, so that it does not arrive just before. */
	private static final Duration AFTER_EXPIRY = Duration.ofMillis(5);

	/**
	 * Create settings.
	 * @throws IllegalArgumentException if a value or combination is invalid; the message
	 * names the property
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
				"or equal to command-timeout, or a grant may expire before the response to its extension arrives");
		longer("poll-interval", pollInterval.multipliedBy(2), commandTimeout.minusMillis(1),
				"half the command-timeout, or live waiters lose their place in the queue");
		longer("silence-timeout", silenceTimeout, commandTimeout.minusMillis(1), "or equal to command-timeout");
		longer("marker-lifetime", markerLifetime, silenceTimeout,
				"silence-timeout, or a late request may run after its claim has ended");
	}

	/** Create settings that leave it to the engine how waiting claims are notified. */
	public RedisSettings(String namespace, Duration pollInterval, Duration grantLease, Duration commandTimeout,
			Duration minValidity, Duration silenceTimeout, Duration markerLifetime, Duration fencingRetention,
			int replicasToWait) {
		this(namespace, pollInterval, grantLease, commandTimeout, minValidity, silenceTimeout, markerLifetime,
				fencingRetention, replicasToWait, WakeUp.AUTO);
	}

	/** Return the lifetime of a queue that no claim polls. */
	Duration queueLifetime() {
		return this.pollInterval.multipliedBy(4);
	}

	/**
	 * Return the lease of a grant handed to a claim; it never exceeds the claim's lease.
	 */
	Duration grantLease(Duration lease) {
		return (lease.compareTo(this.grantLease) < 0) ? lease : this.grantLease;
	}

	/** Return the poll interval for a grant lease: at most a third of that lease. */
	Duration pollInterval(Duration grantLease) {
		Duration period = RenewalRule.period(grantLease);
		return (period.compareTo(this.pollInterval) < 0) ? period : this.pollInterval;
	}

	/**
	 * Return the delay of the next poll of a waiting claim.
	 * @param leaseLeft milliseconds until the first grant ends, negative if unknown
	 */
	Duration retryIn(Duration grantLease, long leaseLeft) {
		Duration poll = Jitter.shorten(pollInterval(grantLease), Jitter.OF_POLLS);
		Duration expiry = Duration.ofMillis(Math.max(0, leaseLeft)).plus(AFTER_EXPIRY);
		return (leaseLeft >= 0 && expiry.compareTo(poll) < 0) ? expiry : poll;
	}

	/**
	 * Return whether grants may linger: only if messages recall them, and without
	 * replicas that confirm each grant.
	 */
	private boolean mayLinger() {
		return this.wakeUp != WakeUp.POLL && this.replicasToWait == 0;
	}

	/** Return the capabilities of an engine with these settings. */
	Set<Capability> capabilities() {
		return mayLinger() ? ALL : WITHOUT_LINGER;
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
