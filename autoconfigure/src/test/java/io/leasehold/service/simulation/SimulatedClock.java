package io.leasehold.service.simulation;

import io.leasehold.engine.MonotonicClock;

/**
 * The clock of a process or of the store. Its rate differs from that of virtual time, but
 * two clocks never differ by more than a lease's margin allows for.
 */
final class SimulatedClock implements MonotonicClock {

	/** Largest deviation, in millionths: two clocks differ by less than one percent. */
	private static final long MOST_DRIFT = 4_900;

	private static final long MILLION = 1_000_000;

	private final Scheduler scheduler;

	private long rate;

	private long since;

	private long reading;

	SimulatedClock(Scheduler scheduler) {
		this.scheduler = scheduler;
		this.since = scheduler.now();
		this.reading = scheduler.dice.between(-1_000_000_000, 1_000_000_000);
		changeRate();
	}

	/** Let the clock go on at another rate. */
	void changeRate() {
		this.reading = nanoTime();
		this.since = this.scheduler.now();
		Dice dice = this.scheduler.dice;
		this.rate = dice.chance(0.7) ? dice.pick(-MOST_DRIFT, 0L, MOST_DRIFT) : dice.between(-MOST_DRIFT, MOST_DRIFT);
	}

	@Override
	public long nanoTime() {
		long passed = this.scheduler.now() - this.since;
		return this.reading + passed + passed * this.rate / MILLION;
	}

	/** Return how much time passes until a reading of this clock. */
	long until(long reading) {
		return Math.max(0, reading - nanoTime()) * MILLION / (MILLION + this.rate);
	}

	@Override
	public String toString() {
		return "rate %+.2f %%".formatted(this.rate / 1e4);
	}

}
