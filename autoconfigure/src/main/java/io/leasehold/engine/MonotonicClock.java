package io.leasehold.engine;

import java.time.Duration;

/**
 * Clock that only goes forward, by which a process decides how long it may believe in a
 * grant. Readings compare by difference, never by value. Thread-safe.
 */
@FunctionalInterface
public interface MonotonicClock {

	/** The JVM's own. */
	MonotonicClock SYSTEM = System::nanoTime;

	/**
	 * Return the present reading.
	 * @return nanoseconds since an arbitrary moment
	 */
	long nanoTime();

	/**
	 * Return until when a lease may be believed in. The store counts it from a moment
	 * after the request was sent; one percent for clocks that run apart and two
	 * milliseconds for rounding are taken off.
	 * @param sent reading before the request was sent
	 * @param lease length of the lease
	 * @return a reading of this clock
	 */
	static long validUntil(long sent, Duration lease) {
		long nanos = lease.toNanos();
		return sent + nanos - nanos / 100 - 2_000_000;
	}

}
