package io.leasehold.autoconfigure;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.LockEngineException;
import io.leasehold.service.LockService;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Check that fails startup if a store grants no locks within the wait time.
 */
record StoreCheck(boolean enabled, LockService service) implements SmartInitializingSingleton {

	private static final Duration PAUSE = Duration.ofMillis(100);

	@Override
	public void afterSingletonsInstantiated() {
		if (this.enabled) {
			long deadline = System.nanoTime() + this.service.defaults().waitTime().toNanos();
			this.service.inspector().engines().forEach((engine) -> check(engine, deadline));
		}
	}

	private void check(String engine, long deadline) {
		while (true) {
			try {
				this.service.inspector().probe(engine);
				return;
			}
			catch (LockEngineException ex) {
				if (!ex.isRetryable() || System.nanoTime() - deadline >= 0) {
					throw new LockEngineConfigurationException(
							"Engine '%s' grants no locks: %s.".formatted(engine, ex.getMessage()),
							"Start its store before the application. Or set leasehold.fail-fast to false: then the "
									+ "application starts without it, and locks fail until it responds.");
				}
			}
			LockSupport.parkNanos(PAUSE.toNanos());
		}
	}

}
