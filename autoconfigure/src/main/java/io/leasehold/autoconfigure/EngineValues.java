package io.leasehold.autoconfigure;

import java.util.Collection;
import java.util.function.Supplier;

/**
 * Checks of the configured values of an engine.
 */
public final class EngineValues {

	private EngineValues() {
	}

	/**
	 * Create an object from configured values.
	 * @param engine name of the engine, for messages
	 * @param action which property to change
	 * @param creation throws an {@link IllegalArgumentException} that names the property
	 * @throws LockEngineConfigurationException if a value is invalid
	 */
	public static <T> T accepted(String engine, String action, Supplier<T> creation) {
		try {
			return creation.get();
		}
		catch (IllegalArgumentException ex) {
			throw invalid(engine, action, ex);
		}
	}

	/** Return the failure of an engine that cannot work with a value. */
	public static LockEngineConfigurationException invalid(String engine, String action, RuntimeException reason) {
		return new LockEngineConfigurationException(
				"The %s engine cannot work as configured: %s.".formatted(engine, reason.getMessage()), action);
	}

	/**
	 * Refuse addresses that contain credentials, such as {@code user:password@host}.
	 * Addresses appear in messages and in the log, so the message does not name them.
	 * @param property name of their property
	 * @param action what to do instead
	 * @throws LockEngineConfigurationException if an address contains credentials
	 */
	public static void refuseCredentials(String property, Collection<String> addresses, String action) {
		if (addresses.stream().anyMatch((address) -> address.contains("@"))) {
			throw new LockEngineConfigurationException("An address in %s contains '@'.".formatted(property), action);
		}
	}

}
