package io.leasehold.benchmark.advice;

import java.util.Locale;

import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.util.Statistics;

/**
 * The cost of one call.
 *
 * @param name name of the called method
 * @param cpu median of the processor time in nanoseconds
 * @param least the same in the fastest round
 * @param most the same in the slowest round
 * @param time median of the time on the clock in nanoseconds
 * @param bytes what is allocated
 */
public record Cost(String name, double cpu, double least, double most, double time, double bytes) {

	static Cost of(RunResult result) {
		Statistics cpu = result.getSecondaryResults().get(CpuTime.NAME).getStatistics();
		return new Cost(result.getPrimaryResult().getLabel(), cpu.getPercentile(50), cpu.getMin(), cpu.getMax(),
				result.getPrimaryResult().getStatistics().getPercentile(50),
				result.getSecondaryResults().get("gc.alloc.rate.norm").getScore());
	}

	/**
	 * Return a row of a table in Markdown.
	 * @return the figures, rounded
	 */
	String row() {
		return String.format(Locale.ROOT, "| %s | %.0f | %.0f–%.0f | %.0f | %.0f |%n", this.name, this.cpu, this.least,
				this.most, this.time, this.bytes);
	}

	/**
	 * Return a line of a file of figures.
	 * @return the figures as they are
	 */
	String line() {
		return this.name + "," + this.cpu + "," + this.least + "," + this.most + "," + this.time + "," + this.bytes
				+ "\n";
	}

}
