package io.leasehold.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until a test moves it. Thread-safe.
 */
public final class ManualClock implements MonotonicClock {

	/** Close to the overflow, since readings compare by difference alone. */
	private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000_000);

	private final AtomicLong suspended = new AtomicLong();

	@Override
	public long nanoTime() {
		return this.now.get();
	}

	@Override
	public long wallClockOffset(long now) {
		return this.suspended.get();
	}

	/** Suspend the machine: this clock stands still, the wall clock does not. */
	public void suspend(Duration time) {
		this.suspended.addAndGet(time.toNanos());
	}

	public void advance(Duration by) {
		this.now.addAndGet(by.toNanos());
	}

}
