package io.leasehold.engine;

import java.time.Duration;
import java.time.Instant;

/**
 * Clock that never goes backwards, by which a process computes the validity of grants.
 * Only differences of readings are meaningful. Thread-safe.
 */
@FunctionalInterface
public interface MonotonicClock {

	/** The JVM's clock. */
	MonotonicClock SYSTEM = new MonotonicClock() {

		@Override
		public long nanoTime() {
			return System.nanoTime();
		}

		@Override
		public long wallClockOffset(long now) {
			return System.currentTimeMillis() * 1_000_000 - now;
		}

	};

	/** Return the current reading in nanoseconds since an arbitrary moment. */
	long nanoTime();

	/**
	 * Return the difference between the wall clock and this clock in nanoseconds. It
	 * changes if the machine is suspended, because this clock stands still meanwhile, or
	 * if the wall clock is set.
	 * @param now the current reading
	 * @return the difference; constant for a clock that cannot be suspended
	 */
	default long wallClockOffset(long now) {
		return 0;
	}

	/**
	 * Return the time that the wall clock shows, for display.
	 * @param now the current reading; an earlier one would have the offset of another
	 * moment
	 * @return the time, without meaning if this clock has no wall clock
	 */
	default Instant wallClock(long now) {
		return Instant.EPOCH.plusNanos(now + wallClockOffset(now));
	}

	/**
	 * Return until when a lease is valid. The store counts the lease from a moment after
	 * the request was sent. One percent is subtracted for clock drift, and two
	 * milliseconds for rounding.
	 * @param sent reading before the request was sent
	 * @param lease length of the lease
	 * @return a reading of this clock
	 */
	static long validUntil(long sent, Duration lease) {
		long nanos = lease.toNanos();
		return sent + nanos - RenewalRule.margin(nanos);
	}

}
