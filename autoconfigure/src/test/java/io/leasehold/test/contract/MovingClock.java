package io.leasehold.test.contract;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.engine.MonotonicClock;

/**
 * A clock that moves while a request is in flight, so that the times of a request and of
 * its response differ by more than with a fast store. Thread-safe.
 */
public final class MovingClock implements MonotonicClock {

	private final AtomicLong ahead = new AtomicLong();

	private volatile long responseTime;

	@Override
	public long nanoTime() {
		return System.nanoTime() + this.ahead.get();
	}

	/**
	 * Set how far the clock moves for each part of a response.
	 * @param time zero for a clock that follows the JVM's clock
	 */
	void eachResponseTakes(Duration time) {
		this.responseTime = time.toNanos();
	}

	/**
	 * Move the clock. Must be called when the store has sent a response that the engine
	 * has not received yet, and for each part if a response arrives in several parts.
	 */
	public void responded() {
		this.ahead.addAndGet(this.responseTime);
	}

}
