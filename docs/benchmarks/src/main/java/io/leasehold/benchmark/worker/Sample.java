package io.leasehold.benchmark.worker;

import java.io.Serializable;
import java.util.Map;

import org.HdrHistogram.Histogram;

/**
 * Measurements of one worker in one round.
 *
 * @param turns acquisitions of each thread within the measured time
 * @param all acquisitions of all threads, including those before and after that time
 * @param nanos the measured time
 * @param cpuNanos processor time of the whole JVM within it
 * @param latency latencies, in nanoseconds
 * @param violations number of overlaps of two owners
 * @param figures further figures by name
 */
public record Sample(long[] turns, long all, long nanos, long cpuNanos, Histogram latency, long violations,
		Map<String, Double> figures) implements Serializable {

	/** Return this sample with other further figures. */
	Sample with(Map<String, Double> others) {
		return new Sample(this.turns, this.all, this.nanos, this.cpuNanos, this.latency, this.violations, others);
	}

}
