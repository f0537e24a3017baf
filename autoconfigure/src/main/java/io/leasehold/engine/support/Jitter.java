package io.leasehold.engine.support;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * Random part of pauses, so that processes that failed or began to wait at the same time
 * do not send their next requests at the same time.
 */
public final class Jitter {

	/** Share for polls of claims that a store also notifies. */
	public static final double OF_POLLS = 0.1;

	/** Share for pauses after failures. */
	public static final double OF_BACKOFF = 0.5;

	private Jitter() {
	}

	/**
	 * Shorten a pause at random.
	 * @param longest the longest pause
	 * @param share maximum share by which it is shortened, such as 0.1
	 * @return the shortened pause
	 */
	public static Duration shorten(Duration longest, double share) {
		return shorten(longest, share, ThreadLocalRandom.current());
	}

	/**
	 * Shorten a pause at random.
	 * @param longest the longest pause
	 * @param share maximum share by which it is shortened, such as 0.1
	 * @param random source of the random part
	 * @return the shortened pause
	 */
	public static Duration shorten(Duration longest, double share, RandomGenerator random) {
		long most = (long) (longest.toNanos() * share);
		return longest.minusNanos(random.nextLong(most + 1));
	}

}
