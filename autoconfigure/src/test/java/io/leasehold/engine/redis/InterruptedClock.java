package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * A clock that stands still until a test moves it, and something that happens between a
 * reading and its use.
 */
public final class InterruptedClock implements LongSupplier {

	private static final Runnable NOTHING = () -> {
	};

	/** Far from zero, and the difference of two readings far from their sum. */
	private final AtomicLong now = new AtomicLong(Duration.ofDays(1).toNanos());

	private final AtomicReference<Runnable> afterNext = new AtomicReference<>(NOTHING);

	@Override
	public long getAsLong() {
		long read = this.now.getAndIncrement();
		this.afterNext.getAndSet(NOTHING).run();
		return read;
	}

	/** Move the clock. */
	public void pass(Duration duration) {
		this.now.addAndGet(duration.toNanos());
	}

	/** Let something happen after the next reading, in its thread. */
	public void afterNext(Runnable action) {
		this.afterNext.set(action);
	}

}
