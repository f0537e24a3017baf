package io.leasehold.engine.redlock;

import java.time.Duration;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Claim;
import io.leasehold.engine.RenewalRule;

/**
 * Settings of the Redlock engine.
 *
 * @param namespace first part of all names in the store
 * @param commandTimeout maximum time to wait for a connection and the responses to one
 * request
 * @param pollInterval maximum time between two polls of a waiting claim
 * @param restartDelay how long a master does not count after it started, and longest
 * lease that is requested from it; zero for masters that keep all data over a restart
 * @param fencingRetention how long the masters remember the last grant number of an
 * unused key
 */
public record RedlockSettings(String namespace, Duration commandTimeout, Duration pollInterval, Duration restartDelay,
		Duration fencingRetention) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(3650);

	private static final Duration MARKER_LIFETIME = Duration.ofMinutes(1);

	/**
	 * Create settings.
	 * @throws IllegalArgumentException if a value is invalid; the message names the
	 * property
	 */
	public RedlockSettings {
		if (namespace.isBlank()) {
			throw new IllegalArgumentException("leasehold.namespace must not be blank");
		}
		check("leasehold.redlock.command-timeout", commandTimeout, SHORTEST);
		check("leasehold.redlock.poll-interval", pollInterval, SHORTEST);
		check("leasehold.redlock.restart-delay", restartDelay, Duration.ZERO);
		check("leasehold.fencing.retention", fencingRetention, SHORTEST);
		Duration least = RenewalRule.minLease(commandTimeout);
		if (!restartDelay.isZero() && restartDelay.compareTo(least) < 0) {
			throw new IllegalArgumentException(
					"leasehold.redlock.restart-delay (%s) must be 0 or at least %s, twice command-timeout"
						.formatted(restartDelay, least));
		}
	}

	private static void check(String property, Duration value, Duration least) {
		if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException("%s must be at least %sms and at most 3650d, but is %s"
				.formatted(property, least.toMillis(), value));
		}
	}

	/**
	 * Return the lease to request: with its lock delay, a longer one than the restart
	 * delay would outlast the time for which a master without its data does not count.
	 */
	Duration lease(Duration wanted, Duration lockDelay) {
		Duration longest = this.restartDelay.minus(lockDelay);
		boolean tooLong = !this.restartDelay.isZero() && wanted.compareTo(longest) > 0;
		return tooLong ? longest : wanted;
	}

	/**
	 * Check that a lock survives the restart of masters without their data.
	 * @throws LockEngineException if it is kept for longer than the restart delay
	 */
	void checkKept(Claim claim) {
		Duration least = RenewalRule.minLease(this.commandTimeout);
		if (!this.restartDelay.isZero() && (claim.minHold().compareTo(this.restartDelay) > 0
				|| claim.lockDelay().compareTo(this.restartDelay.minus(least)) > 0)) {
			throw new LockEngineException(claim.key(),
					("Lock '%s' cannot be acquired on engine 'redlock': its minHold (%s) must not exceed "
							+ "leasehold.redlock.restart-delay (%s), and its lockDelay (%s) not that delay minus twice "
							+ "leasehold.redlock.command-timeout. Increase leasehold.redlock.restart-delay")
						.formatted(claim.key(), claim.minHold(), this.restartDelay, claim.lockDelay()),
					null, false);
		}
	}

	/**
	 * Return how long a connection may leave requests unanswered before it is replaced.
	 */
	Duration silenceTimeout() {
		return this.commandTimeout.multipliedBy(4);
	}

	/** Return how long a master remembers the end of a claim whose connection broke. */
	Duration markerLifetime() {
		return silenceTimeout().plus(MARKER_LIFETIME);
	}

	/** Return how long the marks of a waiting claim last after its last poll. */
	Duration waitLifetime() {
		return this.pollInterval.plus(this.commandTimeout).multipliedBy(3);
	}

}
