package io.leasehold.service.simulation;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The only source of chance in a simulation.
 */
final class Dice {

	private final SplittableRandom random;

	Dice(long seed) {
		this.random = new SplittableRandom(seed);
	}

	RandomGenerator random() {
		return this.random;
	}

	boolean chance(double probability) {
		return this.random.nextDouble() < probability;
	}

	/** Return a number of at least {@code least} and less than {@code most}. */
	long between(long least, long most) {
		return this.random.nextLong(least, most);
	}

	@SafeVarargs
	final <T> T pick(T... values) {
		return values[this.random.nextInt(values.length)];
	}

}
