package io.leasehold.test.contract;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What holders of one key claim to have held, on the monotonic clock that all processes
 * of a host share, and whether that can be true. Thread-safe.
 */
final class History {

	private final Collection<Interval> intervals = new ConcurrentLinkedQueue<>();

	/**
	 * One hold, as its holder saw it.
	 *
	 * @param token its fencing token
	 * @param asked when the holder asked for it
	 * @param acquired when it had it
	 * @param ended when it asked for its release, or no longer believed in it
	 */
	record Interval(long token, long asked, long acquired, long ended) {
	}

	void add(Interval interval) {
		this.intervals.add(interval);
	}

	int size() {
		return this.intervals.size();
	}

	/** What cannot be true: equal tokens, tokens against real time, overlapping holds. */
	List<String> violations() {
		List<Interval> ordered = new ArrayList<>(this.intervals);
		ordered.sort(Comparator.comparingLong(Interval::token));
		List<String> found = new ArrayList<>();
		for (int i = 1; i < ordered.size(); i++) {
			check(ordered.get(i - 1), ordered.get(i), found);
		}
		return found;
	}

	private static void check(Interval earlier, Interval later, List<String> found) {
		if (earlier.token() == later.token()) {
			found.add("same token: %s, %s".formatted(earlier, later));
		}
		else if (later.ended() - earlier.asked() < 0) {
			found.add("token against time: %s, %s".formatted(earlier, later));
		}
		else if (later.acquired() - earlier.ended() < 0) {
			found.add("overlap: %s, %s".formatted(earlier, later));
		}
	}

}
