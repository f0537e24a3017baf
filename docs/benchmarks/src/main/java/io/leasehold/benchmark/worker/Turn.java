package io.leasehold.benchmark.worker;

import io.leasehold.benchmark.contender.Contender;
import org.HdrHistogram.Histogram;

/**
 * The turns of one thread. Confined to that thread until it has ended.
 */
final class Turn {

	private final Work.Part part;

	private final long start;

	private final long end;

	private final Histogram latency = new Histogram(3);

	private int all;

	private long counted;

	private long violations;

	/**
	 * Prepare a thread's turns.
	 * @param part the work of the thread
	 * @param start when measuring begins, by the clock of this machine
	 * @param end when it ends, after which no turn begins
	 */
	Turn(Work.Part part, long start, long end) {
		this.part = part;
		this.start = start;
		this.end = end;
	}

	Turn repeat(Contender contender) throws Exception {
		for (long now = System.nanoTime(); now < this.end; now = System.nanoTime()) {
			once(contender, now);
		}
		return this;
	}

	private void once(Contender contender, long requested) throws Exception {
		Contender.Held held = contender.acquire(this.part.key().apply(this.all++));
		long acquired = System.nanoTime();
		if (acquired < this.end && !this.part.body().wasAlone()) {
			this.violations++;
		}
		held.release();
		long released = System.nanoTime();
		if (acquired >= this.start && acquired < this.end) {
			this.counted++;
			this.latency.recordValue((this.part.whole() ? released : acquired) - requested);
		}
	}

	long counted() {
		return this.counted;
	}

	int all() {
		return this.all;
	}

	long violations() {
		return this.violations;
	}

	Histogram latency() {
		return this.latency;
	}

}
