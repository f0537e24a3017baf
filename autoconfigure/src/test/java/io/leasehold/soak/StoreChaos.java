package io.leasehold.soak;

import java.util.Random;
import java.util.concurrent.Callable;

/**
 * Disturbs a store of a soak again and again in one way, and at least once, with times of
 * peace between.
 */
final class StoreChaos implements Callable<Void> {

	private static final int SHORTEST_PEACE = 5000;

	private static final int LONGEST_PEACE = 25_000;

	private final StoreDisturbance disturbance;

	private final Stores stores;

	private final Random random;

	private final long until;

	private int count;

	StoreChaos(StoreDisturbance disturbance, Stores stores, Random random, long until) {
		this.disturbance = disturbance;
		this.stores = stores;
		this.random = random;
		this.until = until;
	}

	@Override
	public Void call() throws Exception {
		do {
			Thread.sleep(SHORTEST_PEACE + this.random.nextInt(LONGEST_PEACE - SHORTEST_PEACE));
			this.disturbance.strike(this.stores, this.random);
			this.count++;
		}
		while (System.nanoTime() - this.until < 0);
		return null;
	}

	StoreDisturbance disturbance() {
		return this.disturbance;
	}

	/** How often it came. */
	int count() {
		return this.count;
	}

}
