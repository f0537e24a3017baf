package io.leasehold.test.contract;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.jspecify.annotations.Nullable;

/**
 * The holds of one key as reported by their holders, on the monotonic clock that all
 * processes of a host share, and a check for contradictions. Thread-safe.
 */
public final class History {

	private final Collection<Interval> intervals = new ConcurrentLinkedQueue<>();

	private final Collection<Long> writes = new ConcurrentLinkedQueue<>();

	/**
	 * One hold, from its holder's point of view.
	 *
	 * @param token its fencing token
	 * @param requested when the holder requested it
	 * @param acquired when the holder acquired it
	 * @param ended when the holder released it, or last found it valid
	 * @param shared whether other shared holds may overlap with it
	 */
	public record Interval(long token, long requested, long acquired, long ended, boolean shared) {

		/** Create an exclusive hold. */
		Interval(long token, long requested, long acquired, long ended) {
			this(token, requested, acquired, ended, false);
		}

		/** Return whether each of two holds was requested before the other one ended. */
		boolean competesWith(Interval other) {
			return this.requested - other.ended < 0 && other.requested - this.ended < 0;
		}

		/** Return whether the holder was paused until the hold had ended. */
		private boolean claimsNothing() {
			return this.ended - this.acquired < 0;
		}

	}

	/**
	 * Record a hold, in any order.
	 * @param interval the hold
	 */
	public void add(Interval interval) {
		this.intervals.add(interval);
	}

	/**
	 * Record a write that a fenced resource accepted, in the order of acceptance.
	 * @param token the writer's fencing token
	 */
	public void accepted(long token) {
		this.writes.add(token);
	}

	/**
	 * Return how many holds are recorded.
	 * @return their number
	 */
	public int size() {
		return this.intervals.size();
	}

	/**
	 * Return the contradictions: equal tokens, tokens against real time, overlapping
	 * holds, writes of former owners.
	 * @return a description of each contradiction, empty if there is none
	 */
	public List<String> violations() {
		List<Interval> ordered = new ArrayList<>(this.intervals);
		ordered.sort(Comparator.comparingLong(Interval::token));
		List<String> found = new ArrayList<>();
		Set<Long> tokens = new HashSet<>();
		List<Interval> sharers = new ArrayList<>();
		Interval owner = null;
		for (Interval next : ordered) {
			if (!tokens.add(next.token())) {
				found.add("same token: %s".formatted(next));
			}
			if (next.claimsNothing()) {
				continue;
			}
			check(owner, next, found);
			if (next.shared()) {
				sharers.add(next);
			}
			else {
				sharers.forEach((sharer) -> check(sharer, next, found));
				sharers.clear();
				owner = next;
			}
		}
		checkWrites(found);
		return found;
	}

	private static void check(@Nullable Interval earlier, Interval later, List<String> found) {
		if (earlier == null) {
			return;
		}
		if (later.ended() - earlier.requested() < 0) {
			found.add("token against time: %s, %s".formatted(earlier, later));
		}
		else if (later.acquired() - earlier.ended() < 0) {
			found.add("overlap: %s, %s".formatted(earlier, later));
		}
	}

	private void checkWrites(List<String> found) {
		long greatest = Long.MIN_VALUE;
		for (long token : this.writes) {
			if (token < greatest) {
				found.add("write of a former owner: %d after %d".formatted(token, greatest));
			}
			greatest = Math.max(greatest, token);
		}
	}

}
