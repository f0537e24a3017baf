package io.leasehold.test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.engine.MonotonicClock;

import org.springframework.util.Assert;

/**
 * A clock that runs like the JVM's clock and can be moved ahead, so that a test does not
 * have to wait for the end of a lease. Thread-safe.
 */
public final class VirtualClock implements MonotonicClock {

	private final AtomicLong ahead = new AtomicLong();

	@Override
	public long nanoTime() {
		return System.nanoTime() + this.ahead.get();
	}

	/**
	 * Move the clock ahead, as if the process had been paused for that time. A held lock
	 * whose lease is shorter becomes invalid at once. Its holder is notified within a
	 * second, and the next waiter acquires it. Wait times still elapse in real time.
	 * @param by the duration, not negative
	 */
	public void advance(Duration by) {
		Assert.isTrue(!by.isNegative(), () -> "A clock cannot go back by %s".formatted(by.negated()));
		this.ahead.addAndGet(by.toNanos());
	}

}
