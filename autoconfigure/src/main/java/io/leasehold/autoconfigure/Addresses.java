package io.leasehold.autoconfigure;

import java.util.Collection;

/**
 * Check of the addresses of a store.
 */
public final class Addresses {

	private Addresses() {
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
