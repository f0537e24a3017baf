package io.leasehold.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until it is told to go on. Thread-safe.
 */
public final class ManualClock implements MonotonicClock {

	/** Close to the overflow, since readings compare by difference alone. */
	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000);

	@Override
	public long nanoTime() {
		return this.now.get();
	}

	public void advance(Duration by) {
		this.now.addAndGet(by.toNanos());
	}

}
