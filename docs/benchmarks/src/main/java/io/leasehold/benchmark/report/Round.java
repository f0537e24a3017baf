package io.leasehold.benchmark.report;

import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

import io.leasehold.benchmark.store.Usage;
import io.leasehold.benchmark.worker.Sample;
import org.HdrHistogram.Histogram;

/**
 * Concurrent samples of all workers of a contender.
 *
 * @param samples one sample for each worker
 * @param usage what the server did meanwhile
 */
public record Round(List<Sample> samples, Usage usage) {

	/** Turns within the measured time. */
	public double turns() {
		return LongStream.of(turnsOfThreads()).sum();
	}

	public double perSecond() {
		return turns() / (this.samples.get(0).nanos() / 1e9);
	}

	/** Processor time of all workers, or {@link Double#NaN} if none was measured. */
	public double cpuMicrosPerTurn() {
		double nanos = this.samples.stream().mapToLong(Sample::cpuNanos).sum();
		return (nanos > 0) ? nanos / 1e3 / turns() : Double.NaN;
	}

	public double commandsPerTurn() {
		return this.usage.commands() / all();
	}

	/** Processor time of the server, or {@link Double#NaN} if it is unknown. */
	public double serverMicrosPerTurn() {
		return this.usage.micros() / all();
	}

	/** Turns before and after the measured time, too. */
	public double all() {
		return this.samples.stream().mapToLong(Sample::all).sum();
	}

	/** Further figures by name, those of the first worker. */
	public Map<String, Double> figures() {
		return this.samples.get(0).figures();
	}

	public double violations() {
		return this.samples.stream().mapToLong(Sample::violations).sum();
	}

	/** Jain's index of fairness over all threads: 1 if all had the lock equally often. */
	public double jainOfThreads() {
		return jain(LongStream.of(turnsOfThreads()).asDoubleStream().toArray());
	}

	/** The same over the workers. */
	public double jainOfWorkers() {
		return jain(this.samples.stream().mapToDouble((sample) -> LongStream.of(sample.turns()).sum()).toArray());
	}

	/** A percentile of the latencies, in microseconds. */
	public double micros(double percentile) {
		Histogram all = new Histogram(3);
		this.samples.forEach((sample) -> all.add(sample.latency()));
		return all.getValueAtPercentile(percentile) / 1e3;
	}

	private long[] turnsOfThreads() {
		return this.samples.stream().flatMapToLong((sample) -> LongStream.of(sample.turns())).toArray();
	}

	private static double jain(double[] shares) {
		double sum = DoubleStream.of(shares).sum();
		return sum * sum / (shares.length * DoubleStream.of(shares).map((share) -> share * share).sum());
	}

}
