package io.leasehold.benchmark.contender;

import java.util.concurrent.locks.Lock;

import org.springframework.integration.support.locks.LockRegistry;

/**
 * A lock registry of Spring Integration.
 */
final class RegistryContender implements Contender {

	private final LockRegistry<? extends Lock> registry;

	private final Runnable closing;

	/**
	 * Measure a registry.
	 * @param registry the registry
	 * @param closing closes it and what it uses
	 */
	RegistryContender(LockRegistry<? extends Lock> registry, Runnable closing) {
		this.registry = registry;
		this.closing = closing;
	}

	@Override
	public Held acquire(String key) {
		Lock lock = this.registry.obtain(key);
		lock.lock();
		return lock::unlock;
	}

	@Override
	public void close() {
		this.closing.run();
	}

}
