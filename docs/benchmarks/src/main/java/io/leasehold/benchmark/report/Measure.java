package io.leasehold.benchmark.report;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A figure that each round has: a column.
 *
 * @param name heading, with the unit
 * @param format of the figure
 * @param of reads it from a round
 */
public record Measure(String name, String format, ToDoubleFunction<Round> of) {

	/** Turns a second, of all threads together. */
	public static final Measure THROUGHPUT = new Measure("turns/s", "%,.0f", Round::perSecond);

	/** Median time of a turn or a wait. */
	public static final Measure P50 = new Measure("p50 µs", "%,.0f", (round) -> round.micros(50));

	/** Columns of a table, in addition to the ratios. */
	static final List<Measure> ALL = List.of(THROUGHPUT, P50,
			new Measure("p99 µs", "%,.0f", (round) -> round.micros(99)),
			new Measure("p99.9 µs", "%,.0f", (round) -> round.micros(99.9)),
			new Measure("CPU µs/turn", "%,.1f", Round::cpuMicrosPerTurn),
			new Measure("server µs/turn", "%,.1f", Round::serverMicrosPerTurn),
			new Measure("commands/turn", "%.2f", Round::commandsPerTurn),
			new Measure("Jain, threads", "%.2f", Round::jainOfThreads),
			new Measure("Jain, JVMs", "%.2f", Round::jainOfWorkers),
			new Measure("violations", "%.0f", Round::violations));

	/** A further figure of some rounds. */
	static Measure figure(String name) {
		return new Measure(name, "%,.0f", (round) -> round.figures().getOrDefault(name, Double.NaN));
	}

	String format(double figure) {
		return Double.isFinite(figure) ? String.format(Locale.ROOT, this.format, figure) : "";
	}

}
