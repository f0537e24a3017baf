package io.leasehold.engine.cas;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/**
 * Durations in microseconds, which records contain, and the wall clock, which only gives
 * grant numbers a floor and operators the time of a grant.
 */
final class Micros {

	/** Grant numbers are below 2^57, and continue to grow from a wrong clock. */
	private static final long HIGHEST_FLOOR = 1L << 56;

	private Micros() {
	}

	/** Return the wall clock, as floor of grant numbers. */
	static long wallClock() {
		return Math.max(0, Math.min(HIGHEST_FLOOR, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now())));
	}

	/** Return a duration, rounded up. */
	static long of(Duration duration) {
		return Math.addExact(TimeUnit.SECONDS.toMicros(duration.getSeconds()), (duration.getNano() + 999) / 1000);
	}

	static Duration toDuration(long micros) {
		return Duration.of(micros, ChronoUnit.MICROS);
	}

	static long toNanos(long micros) {
		return TimeUnit.MICROSECONDS.toNanos(micros);
	}

}
