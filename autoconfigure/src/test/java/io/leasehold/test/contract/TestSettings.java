package io.leasehold.test.contract;

import java.time.Duration;

import io.leasehold.LockOptions;
import io.leasehold.service.OnLost;
import io.leasehold.service.ServiceSettings;

/**
 * Settings of the services of tests: the defaults. If the system property
 * {@code leasehold.handoff.max-consecutive} is 0, no lock is passed on inside a process,
 * so that each acquisition goes to the store.
 */
public final class TestSettings {

	private static final String PROPERTY = "leasehold.handoff.max-consecutive";

	private static final int HANDOFFS = Integer.getInteger(PROPERTY, ServiceSettings.MOST_HANDOFFS);

	private TestSettings() {
	}

	/** Return the command-line argument that gives another JVM the same settings. */
	static String argument() {
		return "-D%s=%d".formatted(PROPERTY, HANDOFFS);
	}

	/**
	 * Return settings that throw an exception for a lost lock.
	 * @param defaults options used where none are given
	 */
	public static ServiceSettings of(LockOptions defaults) {
		return of(defaults, OnLost.THROW);
	}

	/**
	 * Return settings.
	 * @param defaults options used where none are given
	 * @param onLost how a holder is notified of a lost lock
	 */
	public static ServiceSettings of(LockOptions defaults, OnLost onLost) {
		return new ServiceSettings(defaults, onLost, HANDOFFS, Duration.ofMillis(10));
	}

}
