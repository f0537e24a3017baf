package io.leasehold.benchmark.advice;

import java.util.concurrent.TimeUnit;

import io.leasehold.HeldLock;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Calls of a method under a free lock, one after the other, beside what they consist of.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 8, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 7, time = 300, timeUnit = TimeUnit.MILLISECONDS)
public class AdviceBenchmark {

	@Benchmark
	public Object bare(Application application) {
		return application.bare().bare(application.nextId());
	}

	@Benchmark
	public Object proxied(Application application) {
		return application.service().proxied(application.nextId());
	}

	@Benchmark
	public Object programmatic(Application application) {
		try (HeldLock held = application.locks().acquire("order", application.options())) {
			return held;
		}
	}

	@Benchmark
	public Object literal(Application application) {
		return application.service().literal(application.nextId());
	}

	@Benchmark
	public Object longId(Application application) {
		return application.service().longId(application.nextId());
	}

	@Benchmark
	public Object longIdWithMetrics(MeteredApplication application) {
		return application.service().longId(application.nextId());
	}

	@Benchmark
	public Object longIdInSpelAlone(Application application, SpelEngine spel) {
		return spel.id(application.nextId());
	}

	@Benchmark
	public Object longIdAsString(Application application) {
		return "order:" + application.nextId();
	}

	@Benchmark
	public Object textId(Application application) {
		return application.service().textId(application.nextText());
	}

	@Benchmark
	public Object property(Application application) {
		return application.service().property(application.nextOrder());
	}

	@Benchmark
	public Object propertyInSpelAlone(Application application, SpelEngine spel) {
		return spel.property(application.nextOrder());
	}

	@Benchmark
	public Object methodCall(Application application) {
		return application.service().methodCall(application.nextOrder());
	}

	@Benchmark
	public Object methodCallInSpelAlone(Application application, SpelEngine spel) {
		return spel.methodCall(application.nextOrder());
	}

}
