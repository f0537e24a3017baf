package io.leasehold.benchmark.worker;

import java.io.Serializable;
import java.util.Map;

import org.HdrHistogram.Histogram;

/**
 * What one worker saw in one round.
 *
 * @param turns how often each thread had the lock within the measured time
 * @param all how often all of them had it, before and after that, too
 * @param nanos the measured time
 * @param cpuNanos processor time of the whole JVM within it
 * @param latency what was waited for, in nanoseconds
 * @param violations how often two owners met
 * @param figures further figures by name
 */
public record Sample(long[] turns, long all, long nanos, long cpuNanos, Histogram latency, long violations,
		Map<String, Double> figures) implements Serializable {

	/** Return this sample with other further figures. */
	Sample with(Map<String, Double> others) {
		return new Sample(this.turns, this.all, this.nanos, this.cpuNanos, this.latency, this.violations, others);
	}

}
