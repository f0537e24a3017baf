package io.leasehold.test.contract;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.engine.MonotonicClock;

/**
 * A clock that moves while a request is under way, so that the time of the request and
 * the time of its answer differ by more than a fast store would ever let them.
 * Thread-safe.
 */
public final class MovingClock implements MonotonicClock {

	private final AtomicLong ahead = new AtomicLong();

	private volatile long answerTime;

	@Override
	public long nanoTime() {
		return System.nanoTime() + this.ahead.get();
	}

	/**
	 * Set how far the clock moves for each piece of an answer.
	 * @param time zero for a clock that moves as the JVM's own
	 */
	void eachAnswerTakes(Duration time) {
		this.answerTime = time.toNanos();
	}

	/**
	 * Move the clock. To be called when an answer of the store has been sent and its
	 * engine has not received it yet; if an answer comes in several pieces, for each of
	 * them.
	 */
	public void responded() {
		this.ahead.addAndGet(this.answerTime);
	}

}
