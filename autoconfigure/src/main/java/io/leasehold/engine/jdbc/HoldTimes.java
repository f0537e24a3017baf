package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.leasehold.engine.jdbc.HoldTime.Watch;
import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Recent hold times of exclusive locks, by which a waiting claim sends extra polls when a
 * release is likely. The number of entries is fixed: keys that share one only poll at
 * worse times. Thread-safe.
 */
final class HoldTimes {

	private static final int ENTRIES = 1024;

	private final AtomicReferenceArray<@Nullable HoldTime> entries = new AtomicReferenceArray<>(ENTRIES);

	private final long shortest;

	/**
	 * Create an empty table.
	 * @param shortest minimum time between two polls
	 */
	HoldTimes(Duration shortest) {
		this.shortest = micros(shortest);
	}

	/**
	 * Record which grant a waiting claim waits for. A grant that replaced the one before
	 * reveals how long that one was held.
	 * @return the time until the next poll, at most the usual one
	 */
	Duration watch(RowId id, Watch watch) {
		HoldTime known = find(id);
		HoldTime time = (known != null) ? known : HoldTime.UNKNOWN;
		Watch former = time.watchOf(watch.claim());
		if (former != null && former.grantedAt() != watch.grantedAt()) {
			time = time.ended(watch.grantedAt());
		}
		Watch planned = time.beforeRelease(watch);
		set(id, time.with(planned));
		return time.untilPoll(planned, planned.seen(), this.shortest);
	}

	/**
	 * Return the time until the next poll of a claim after an extra poll, or {@code null}
	 * if this was a usual one.
	 * @param now reading of the monotonic clock
	 */
	@Nullable Duration untilPoll(RowId id, String claim, long now) {
		HoldTime known = find(id);
		Watch watch = (known != null) ? known.watchOf(claim) : null;
		if (known == null || watch == null || watch.usualPoll() - now <= 0) {
			return null;
		}
		Watch polled = watch.polled(now);
		set(id, known.with(polled));
		return known.untilPoll(polled, now, this.shortest);
	}

	/**
	 * Record the grant of a claim.
	 * @param grantedAt its time in microseconds since 1970
	 */
	void granted(RowId id, String claim, long grantedAt) {
		HoldTime known = find(id);
		if (known != null && known.watchOf(claim) != null) {
			set(id, known.ended(grantedAt));
		}
	}

	private @Nullable HoldTime find(RowId id) {
		return this.entries.get(index(id));
	}

	private void set(RowId id, HoldTime time) {
		this.entries.set(index(id), time);
	}

	private static int index(RowId id) {
		return Math.floorMod(id.number(), ENTRIES);
	}

}
