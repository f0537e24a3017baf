package io.leasehold.benchmark.contender;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock provider of ShedLock, which cannot wait and is therefore polled.
 */
final class ShedLockContender implements Contender {

	private final LockProvider provider;

	private final Runnable closing;

	/**
	 * Measure a provider.
	 * @param provider the provider
	 * @param closing closes the resources of the provider
	 */
	ShedLockContender(LockProvider provider, Runnable closing) {
		this.provider = provider;
		this.closing = closing;
	}

	@Override
	public Held acquire(String key) throws Exception {
		Attempt attempt = new Attempt(key);
		Polling.until(attempt::succeeds);
		return attempt;
	}

	@Override
	public void close() {
		this.closing.run();
	}

	private final class Attempt implements Held {

		private final String key;

		private @Nullable SimpleLock lock;

		private Attempt(String key) {
			this.key = key;
		}

		boolean succeeds() {
			Optional<SimpleLock> acquired = ShedLockContender.this.provider
				.lock(new LockConfiguration(Instant.now(), this.key, Leases.LEASE, Duration.ZERO));
			this.lock = acquired.orElse(null);
			return acquired.isPresent();
		}

		@Override
		public void release() {
			if (this.lock != null) {
				this.lock.unlock();
			}
		}

	}

}
