package io.leasehold.benchmark.advice;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Collection;
import java.util.List;
import java.util.stream.LongStream;

import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Measures the processor time of a call, which other processes of the machine disturb
 * much less than the time on the clock.
 */
public final class CpuTime implements InternalProfiler {

	/** Name of the result. */
	static final String NAME = "cpu";

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	private long before;

	@Override
	public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
		this.before = ofWorkers();
	}

	@Override
	public Collection<ScalarResult> afterIteration(BenchmarkParams benchmark, IterationParams iteration,
			IterationResult result) {
		double nanos = (double) (ofWorkers() - this.before) / result.getMetadata().getAllOps();
		return List.of(new ScalarResult(NAME, nanos, "ns/op", AggregationPolicy.AVG));
	}

	private static long ofWorkers() {
		return LongStream.of(THREADS.getAllThreadIds()).filter(CpuTime::isWorker).map(THREADS::getThreadCpuTime).sum();
	}

	private static boolean isWorker(long thread) {
		ThreadInfo info = THREADS.getThreadInfo(thread);
		return info != null && info.getThreadName().contains("jmh-worker");
	}

	@Override
	public String getDescription() {
		return "Processor time";
	}

}
