package io.leasehold.load;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;

/**
 * Bytes that calls allocate in the thread of their caller. The least of several rounds
 * counts: later rounds run compiled code, and other work of the JVM only adds to a round.
 */
public final class Allocations {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private static final int ROUNDS = 20;

	private Allocations() {
	}

	/**
	 * Measure a call.
	 * @param calls the number of calls in a round
	 */
	public static long of(Runnable call, int calls) {
		long least = Long.MAX_VALUE;
		for (int round = 0; round < ROUNDS; round++) {
			long before = THREADS.getCurrentThreadAllocatedBytes();
			for (int i = 0; i < calls; i++) {
				call.run();
			}
			least = Math.min(least, (THREADS.getCurrentThreadAllocatedBytes() - before) / calls);
		}
		return least;
	}

}
