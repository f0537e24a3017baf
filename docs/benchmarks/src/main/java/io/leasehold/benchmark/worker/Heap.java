package io.leasehold.benchmark.worker;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/**
 * Heap in use by this JVM.
 */
final class Heap {

	private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();

	private static final int COLLECTIONS = 3;

	private Heap() {
	}

	/** Bytes in use after all garbage is gone, that behind references too. */
	static long used() throws InterruptedException {
		for (int i = 0; i < COLLECTIONS; i++) {
			System.gc();
			Thread.sleep(50);
		}
		return MEMORY.getHeapMemoryUsage().getUsed();
	}

}
