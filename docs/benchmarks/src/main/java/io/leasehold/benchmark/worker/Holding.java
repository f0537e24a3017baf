package io.leasehold.benchmark.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.leasehold.benchmark.contender.Contender;
import org.HdrHistogram.Histogram;

/**
 * Many locks that are held at the same time while nothing else is done: a turn is one of
 * them, from its beginning to its end. Its processor time is that of the JVM while all
 * are held, over that of the same JVM when it is idle.
 *
 * @param locks how many
 * @param time how long all of them are held
 */
public record Holding(int locks, Duration time) implements Task {

	/** Name of the figure for the heap that a lock takes. */
	public static final String HEAP = "heap B/lock";

	/** Part of the time for which the JVM is idle before. */
	private static final int IDLE = 4;

	@Override
	public Sample run(Contender contender, int worker) throws Exception {
		List<Contender.Held> held = new ArrayList<>(this.locks);
		Histogram latency = new Histogram(3);
		Processor idle = Processor.during(this.time.dividedBy(IDLE));
		long before = Heap.used();
		for (int lock = 0; lock < this.locks; lock++) {
			long requested = System.nanoTime();
			held.add(contender.acquire("held-" + worker + "-" + lock));
			latency.recordValue(System.nanoTime() - requested);
		}
		double heap = Heap.used() - before;
		Processor busy = Processor.during(this.time);
		for (Contender.Held lock : held) {
			lock.release();
		}
		return new Sample(new long[] { this.locks }, this.locks, this.time.toNanos(),
				Math.max(1, busy.nanos() - IDLE * idle.nanos()), latency, 0, Map.of(HEAP, heap / this.locks));
	}

}
