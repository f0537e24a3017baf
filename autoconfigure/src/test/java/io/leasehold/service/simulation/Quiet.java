package io.leasehold.service.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Switches the log of the library off: simulations lose thousands of locks a second.
 */
public final class Quiet implements BeforeAllCallback, AfterAllCallback {

	private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.leasehold");

	@Override
	public void beforeAll(ExtensionContext context) {
		LOGGER.setLevel(Level.OFF);
	}

	@Override
	public void afterAll(ExtensionContext context) {
		LOGGER.setLevel(null);
	}

}
