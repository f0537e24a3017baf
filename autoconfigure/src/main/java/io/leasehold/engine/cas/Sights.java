package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.leasehold.engine.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * Records that this process has seen, by key. They outlive the claim that saw them, so
 * that repeated short attempts also find out that a holder is dead. Those that were not
 * seen again within their length are removed, since the store has removed them, too.
 * Thread-safe.
 */
final class Sights {

	private static final long SWEEP_EVERY = Duration.ofSeconds(10).toNanos();

	private final MonotonicClock clock;

	private final ConcurrentHashMap<String, Seen> seen = new ConcurrentHashMap<>();

	private final AtomicLong nextSweep;

	Sights(MonotonicClock clock) {
		this.clock = clock;
		this.nextSweep = new AtomicLong(clock.nanoTime() + SWEEP_EVERY);
	}

	/**
	 * Note a record after a response that showed it, or that confirmed its write.
	 * @param key key in the store
	 * @param record the record, or {@code null} if there is none
	 * @param sent reading of the clock before the request
	 */
	Sight look(String key, @Nullable LockRecord record, long sent) {
		long now = this.clock.nanoTime();
		sweep(now);
		if (record == null || record.isIdle()) {
			this.seen.remove(key);
			return new Sight((record != null) ? record : LockRecord.absent(), Map.of(), sent);
		}
		Seen noted = this.seen.compute(key, (same, before) -> merge(record, before, now));
		return new Sight(record, noted.first(), sent);
	}

	private static Seen merge(LockRecord record, @Nullable Seen before, long now) {
		Map<Long, Long> known = (before != null) ? before.first() : Map.of();
		Map<Long, Long> first = new HashMap<>();
		Mark mark = record.mark();
		long longest = 0;
		if (mark != null) {
			first.put(mark.stamp(), known.getOrDefault(mark.stamp(), now));
			longest = mark.life();
		}
		for (Place place : record.places()) {
			first.put(place.stamp(), known.getOrDefault(place.stamp(), now));
			longest = Math.max(longest, place.length());
		}
		return new Seen(first, now + 2 * Micros.toNanos(longest) + SWEEP_EVERY);
	}

	private void sweep(long now) {
		long due = this.nextSweep.get();
		if (now - due >= 0 && this.nextSweep.compareAndSet(due, now + SWEEP_EVERY)) {
			this.seen.values().removeIf((one) -> one.until() - now < 0);
		}
	}

	int size() {
		return this.seen.size();
	}

	/**
	 * Observations of a key.
	 *
	 * @param first when each part was first seen, by its stamp
	 * @param until when it is forgotten unless it is seen again
	 */
	private record Seen(Map<Long, Long> first, long until) {
	}

}
