package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Extra polls of waiting claims between their usual ones: single updates, which write
 * nothing while the key is busy. Their intervals grow with the time waited, so that a
 * release is detected after a few percent of it. The number of entries is fixed: of two
 * claims that share one, only one sends extra polls. Thread-safe.
 */
final class ExtraPolls {

	private static final int ENTRIES = 1024;

	/** Part of the time waited that passes until the next poll. */
	private static final int PART = 32;

	private final AtomicReferenceArray<@Nullable Usual> entries = new AtomicReferenceArray<>(ENTRIES);

	private final Duration shortest;

	ExtraPolls(Duration shortest) {
		this.shortest = shortest;
	}

	/**
	 * Let a claim send extra polls until its next usual poll.
	 * @param now reading of the monotonic clock
	 * @param usual time until the usual poll
	 * @return the time until the next poll
	 */
	Duration begin(RowId id, Claim claim, long now, Duration usual) {
		this.entries.set(index(id), new Usual(claim.owner().token(), now + usual.toNanos()));
		return interval(claim, now, usual);
	}

	/**
	 * Return the time until the next poll of a claim after an extra poll, or {@code null}
	 * if this was a usual one.
	 * @param now reading of the monotonic clock
	 */
	@Nullable Duration next(RowId id, Claim claim, long now) {
		Usual usual = this.entries.get(index(id));
		boolean extra = usual != null && usual.claim().equals(claim.owner().token()) && usual.at() - now > 0;
		return extra ? interval(claim, now, Duration.ofNanos(usual.at() - now)) : null;
	}

	private Duration interval(Claim claim, long now, Duration usual) {
		Duration part = Duration.ofNanos((now - claim.since()) / PART);
		Duration interval = (part.compareTo(this.shortest) > 0) ? part : this.shortest;
		return (interval.compareTo(usual) < 0) ? interval : usual;
	}

	private static int index(RowId id) {
		return Math.floorMod(id.number(), ENTRIES);
	}

	/**
	 * Usual poll of a claim.
	 *
	 * @param claim claim token
	 * @param at reading of the monotonic clock at which it is due
	 */
	private record Usual(String claim, long at) {

	}

}
