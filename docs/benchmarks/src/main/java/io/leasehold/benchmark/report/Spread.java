package io.leasehold.benchmark.report;

import java.util.stream.DoubleStream;

/**
 * The middle and the ends of some figures.
 *
 * @param least the least of them
 * @param median the middle one, the upper one of an even number
 * @param greatest the greatest of them
 */
record Spread(double least, double median, double greatest) {

	static Spread of(DoubleStream figures) {
		double[] sorted = figures.sorted().toArray();
		return new Spread(sorted[0], sorted[sorted.length / 2], sorted[sorted.length - 1]);
	}

}
