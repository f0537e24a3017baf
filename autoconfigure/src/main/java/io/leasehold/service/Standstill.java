package io.leasehold.service;

import java.time.Duration;

/**
 * Time for which this process stood still, such as in a pause of its garbage collector or
 * of its machine, as timers show that run too late. Thread-safe.
 */
final class Standstill {

	/** Shorter ones have other causes, and no effect on a lease. */
	private static final long SHORTEST = Duration.ofSeconds(1).toNanos();

	/** How long the last standstill is reported after its end. */
	private static final long RECENT = Duration.ofSeconds(1).toNanos();

	private volatile Ended last = new Ended(0, 0);

	/**
	 * A timer runs.
	 * @param now reading of the clock
	 * @param due reading at which it should have run
	 */
	void ticked(long now, long due) {
		if (now - due >= SHORTEST) {
			this.last = new Ended(now, now - due);
		}
	}

	/**
	 * Return for how long the process stood still until now or lately.
	 * @param now reading of the clock
	 * @param due reading at which the next timer should run, or should have run
	 * @return the time, zero if it is shorter than a second
	 */
	Duration length(long now, long due) {
		Ended ended = this.last;
		long recent = (now - ended.at < RECENT) ? ended.length : 0;
		long longest = Math.max(now - due, recent);
		return (longest >= SHORTEST) ? Duration.ofNanos(longest) : Duration.ZERO;
	}

	private record Ended(long at, long length) {
	}

}
