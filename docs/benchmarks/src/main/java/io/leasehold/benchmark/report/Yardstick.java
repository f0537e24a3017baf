package io.leasehold.benchmark.report;

import java.util.function.ToDoubleFunction;

import io.leasehold.benchmark.worker.Holding;

/**
 * By what contenders are compared: a cost, of which less is better.
 */
public enum Yardstick {

	/** Mean time between two turns, of all threads together. */
	TIME_PER_TURN("time per turn", (round) -> 1 / round.perSecond()),

	/** Heap that a held lock takes. */
	HEAP_PER_LOCK("heap per lock", (round) -> round.figures().getOrDefault(Holding.HEAP, Double.NaN)),

	/** Median of what was waited for. */
	LATENCY("median latency", (round) -> round.micros(50));

	private final String title;

	private final ToDoubleFunction<Round> cost;

	Yardstick(String title, ToDoubleFunction<Round> cost) {
		this.title = title;
		this.cost = cost;
	}

	public String title() {
		return this.title;
	}

	public double cost(Round round) {
		return this.cost.applyAsDouble(round);
	}

}
