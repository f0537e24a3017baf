package io.leasehold.benchmark.worker;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import com.sun.management.OperatingSystemMXBean;
import io.leasehold.benchmark.contender.Contender;
import org.HdrHistogram.Histogram;

/**
 * Threads that acquire and release locks, again and again.
 *
 * @param threads number of threads of each worker, the last of which repeats for more
 * @param work what each of them does
 * @param ramp time before the measured one
 * @param time the measured time
 */
public record Turns(List<Integer> threads, Work work, Duration ramp, Duration time) implements Task {

	private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	@Override
	public Sample run(Contender contender, int worker) throws Exception {
		int count = this.threads.get(worker);
		long start = System.nanoTime() + this.ramp.toNanos();
		long end = start + this.time.toNanos();
		ExecutorService crew = Executors.newFixedThreadPool(count);
		try {
			List<Future<Turn>> turns = new ArrayList<>();
			for (int thread = 0; thread < count; thread++) {
				Turn turn = new Turn(this.work.of(worker, thread), start, end);
				turns.add(crew.submit(() -> turn.repeat(contender)));
			}
			long cpu = cpuBetween(start, end);
			return sample(turns, cpu);
		}
		finally {
			crew.shutdown();
		}
	}

	private Sample sample(List<Future<Turn>> turns, long cpuNanos) throws Exception {
		long[] counts = new long[turns.size()];
		long all = 0;
		long violations = 0;
		Histogram latency = new Histogram(3);
		for (int i = 0; i < counts.length; i++) {
			Turn turn = turns.get(i).get();
			counts[i] = turn.counted();
			all += turn.all();
			violations += turn.violations();
			latency.add(turn.latency());
		}
		return new Sample(counts, all, this.time.toNanos(), cpuNanos, latency, violations, Map.of());
	}

	private static long cpuBetween(long start, long end) throws InterruptedException {
		sleepUntil(start);
		long before = SYSTEM.getProcessCpuTime();
		sleepUntil(end);
		return SYSTEM.getProcessCpuTime() - before;
	}

	private static void sleepUntil(long time) throws InterruptedException {
		long millis = Duration.ofNanos(time - System.nanoTime()).toMillis();
		if (millis > 0) {
			Thread.sleep(millis);
		}
	}

}
