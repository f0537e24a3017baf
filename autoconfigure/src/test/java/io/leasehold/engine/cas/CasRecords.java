package io.leasehold.engine.cas;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Owner;
import io.leasehold.test.contract.Terms;
import org.jspecify.annotations.Nullable;

/**
 * Records, sights and claims of the tests of single rules. A place or mark that is
 * {@linkplain #seen seen} has an age that the test chooses.
 */
final class CasRecords {

	static final Access SHARED = Access.SHARED;

	static final Access EXCLUSIVE = Access.EXCLUSIVE;

	private static final long WRITES = 10;

	private static final long LAST = 100;

	private CasRecords() {
	}

	static Place place(String owner, Access access, long lease, long delay, long closed, long stamp) {
		return new Place(owner, access, stamp, 1, lease, delay, closed, stamp);
	}

	static LockRecord record(@Nullable Mark mark, Place... places) {
		return new LockRecord(WRITES, LAST, mark, List.of(places));
	}

	/** Return the record after a write that keeps the last number. */
	static LockRecord next(@Nullable Mark mark, Place... places) {
		return new LockRecord(WRITES + 1, LAST, mark, List.of(places));
	}

	/** Return a record whose parts have an age of whole microseconds, by their stamps. */
	static Sight seen(LockRecord record, Map<Long, Long> ages) {
		long now = Duration.ofHours(1).toNanos();
		Map<Long, Long> first = new HashMap<>();
		ages.forEach((stamp, age) -> first.put(stamp, now - Micros.toNanos(age)));
		return new Sight(record, first, now);
	}

	/** Return a record of which nothing was seen before. */
	static Sight fresh(LockRecord record) {
		return seen(record, Map.of());
	}

	static Claim claim(Owner owner, Access access, Duration lease, Duration minHold, Duration lockDelay,
			boolean waits) {
		return new Claim(new LockKey("k"), owner, Terms.of(access, lease, minHold, lockDelay), waits, 0);
	}

	static Claim claim(Owner owner, Access access, boolean waits) {
		return claim(owner, access, Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO, waits);
	}

}
