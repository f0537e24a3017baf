package io.leasehold.test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.engine.MonotonicClock;

import org.springframework.util.Assert;

/**
 * A clock that goes on as the JVM's own does and can be moved ahead, so that a test need
 * not wait for the end of a lease. Thread-safe.
 */
public final class VirtualClock implements MonotonicClock {

	private final AtomicLong ahead = new AtomicLong();

	@Override
	public long nanoTime() {
		return System.nanoTime() + this.ahead.get();
	}

	/**
	 * Move the clock ahead, as if the process had been paused for so long. A held lock
	 * whose lease is shorter is not valid any more at once; its holder is notified within
	 * a second, and the next caller that waits has it. Wait times go on in real time.
	 * @param by how far, not negative
	 */
	public void advance(Duration by) {
		Assert.isTrue(!by.isNegative(), () -> "A clock cannot go back by %s".formatted(by.negated()));
		this.ahead.addAndGet(by.toNanos());
	}

}
