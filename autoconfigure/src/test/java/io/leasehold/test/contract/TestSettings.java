package io.leasehold.test.contract;

import java.time.Duration;

import io.leasehold.LockOptions;
import io.leasehold.service.OnLost;
import io.leasehold.service.ServiceSettings;

/**
 * How the services of tests work: as by default, and with the system property
 * {@code leasehold.handoff.max-consecutive} set to 0 without passing locks on inside a
 * process, so that each acquisition goes to the store.
 */
public final class TestSettings {

	private static final String PROPERTY = "leasehold.handoff.max-consecutive";

	private static final int HANDOFFS = Integer.getInteger(PROPERTY, ServiceSettings.MOST_HANDOFFS);

	private TestSettings() {
	}

	/** Argument by which another JVM has the same settings. */
	static String argument() {
		return "-D%s=%d".formatted(PROPERTY, HANDOFFS);
	}

	/**
	 * Return settings whose losses are thrown.
	 * @param defaults options used where none are given
	 */
	public static ServiceSettings of(LockOptions defaults) {
		return of(defaults, OnLost.THROW);
	}

	/**
	 * Return settings.
	 * @param defaults options used where none are given
	 * @param onLost how a holder learns that its lock was lost
	 */
	public static ServiceSettings of(LockOptions defaults, OnLost onLost) {
		return new ServiceSettings(defaults, onLost, HANDOFFS, Duration.ofMillis(10));
	}

}
