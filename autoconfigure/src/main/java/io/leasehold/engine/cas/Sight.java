package io.leasehold.engine.cas;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * Record of a key as this process has seen it, and for how long it has seen each part
 * unchanged. A part ends when it was seen for its length and one percent, for the drift
 * of clocks: its owner counts from before the write, and a percent less. Nothing else
 * decides that a lease has ended, so no clock of a store or of another process matters.
 *
 * @param record the record
 * @param first readings of the monotonic clock after the response that first showed a
 * part, by its stamp
 * @param now reading of the clock before the last request, so that an owner whose request
 * was in time is not judged by how long the response took
 */
record Sight(LockRecord record, Map<Long, Long> first, long now) {

	/** Return for how many microseconds a part was seen, rounded down. */
	long age(long stamp) {
		Long since = this.first.get(stamp);
		return (since != null) ? Math.max(0, TimeUnit.NANOSECONDS.toMicros(this.now - since)) : 0;
	}

	/** Return the rest of a length in microseconds, with one percent for clock drift. */
	private long left(long length, long stamp) {
		return (length > 0) ? length + length / 100 + 1 - age(stamp) : 0;
	}

	/** Return how long a place is still taken, zero or negative if it is free. */
	long left(Place place) {
		return left(place.length(), place.stamp());
	}

	boolean isHeld(Place place) {
		return left(place.lease(), place.stamp()) > 0;
	}

	/** Return the places that are taken. */
	List<Place> taken() {
		return this.record.places().stream().filter((place) -> left(place) > 0).toList();
	}

	/** Return the place that an owner holds. */
	@Nullable Place heldBy(String owner) {
		return this.record.places()
			.stream()
			.filter((place) -> place.owner().equals(owner) && isHeld(place))
			.findFirst()
			.orElse(null);
	}

	/** Return the mark if it counts. */
	@Nullable Mark mark() {
		Mark mark = this.record.mark();
		return (mark != null && markLeft(mark) > 0) ? mark : null;
	}

	long markLeft(Mark mark) {
		return left(mark.life(), mark.stamp());
	}

	/** Return the rest of a place's lease, which its owner may rely on. */
	long leaseLeft(Place place) {
		return Math.max(0, place.lease() - age(place.stamp()));
	}

	/** Return the rest of a place's minimum hold. */
	long closedLeft(Place place) {
		return Math.max(0, place.closed() - age(place.stamp()));
	}

}
