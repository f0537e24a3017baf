package io.leasehold.engine.cas;

import java.time.Duration;

import io.leasehold.engine.RenewalRule;

/**
 * Settings of an engine on a {@link CompareAndSetStore}.
 *
 * @param namespace first part of all keys in the store
 * @param callTimeout maximum time to repeat a call whose entry other processes keep
 * changing; at least the store's own timeout
 * @param pollMin minimum time between two polls of a waiting process
 * @param pollMax maximum time between two polls of a waiting process
 * @param retention how long the store remembers the last grant number of an unused key
 */
public record CasSettings(String namespace, Duration callTimeout, Duration pollMin, Duration pollMax,
		Duration retention) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Create settings.
	 * @throws IllegalArgumentException if a value is invalid; the message names the
	 * property after the prefix of the engine
	 */
	public CasSettings {
		if (namespace.isBlank()) {
			throw new IllegalArgumentException("leasehold.namespace must not be blank");
		}
		check("call-timeout", callTimeout);
		check("poll-min", pollMin);
		check("poll-max", pollMax);
		check("leasehold.fencing.retention", retention);
		if (pollMax.compareTo(pollMin) < 0) {
			throw new IllegalArgumentException("poll-max must not be shorter than poll-min");
		}
	}

	/**
	 * Create settings with a call timeout of one second, polls after 20 ms up to half a
	 * second, and a retention of a day.
	 * @param namespace first part of all keys in the store
	 * @return the settings
	 */
	public static CasSettings of(String namespace) {
		return new CasSettings(namespace, Duration.ofSeconds(1), Duration.ofMillis(20), Duration.ofMillis(500),
				Duration.ofDays(1));
	}

	/** Return the shortest lease: a call consists of two requests, a read and a write. */
	Duration minLease() {
		return RenewalRule.minLease(this.callTimeout.plus(this.callTimeout));
	}

	/** Return how long a waiter's mark counts: until a poll that is late by a call. */
	Duration markLife() {
		return this.pollMax.multipliedBy(2).plus(this.callTimeout.multipliedBy(2));
	}

	private static void check(String property, Duration value) {
		if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"%s must be at least 1ms and at most 3650d, but is %s".formatted(property, value));
		}
	}

}
