package io.leasehold.benchmark.worker;

import java.lang.management.ManagementFactory;
import java.time.Duration;

import com.sun.management.OperatingSystemMXBean;

/**
 * Processor time of this JVM.
 *
 * @param nanos how much of it
 */
record Processor(long nanos) {

	private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	/** Measure what other threads use while the calling thread sleeps. */
	static Processor during(Duration time) throws InterruptedException {
		long before = SYSTEM.getProcessCpuTime();
		Thread.sleep(time.toMillis());
		return new Processor(SYSTEM.getProcessCpuTime() - before);
	}

}
