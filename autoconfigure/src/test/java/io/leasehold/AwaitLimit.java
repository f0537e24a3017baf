package io.leasehold;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Sets how long a test waits for a condition if it does not name a limit. Awaitility's
 * ten seconds can pass on a busy machine; only a test that hangs reaches this limit.
 * Registered for all tests of this module.
 */
public final class AwaitLimit implements BeforeAllCallback {

	private static final Duration LIMIT = Duration.ofMinutes(1);

	@Override
	public void beforeAll(ExtensionContext context) {
		Awaitility.setDefaultTimeout(LIMIT);
	}

}
