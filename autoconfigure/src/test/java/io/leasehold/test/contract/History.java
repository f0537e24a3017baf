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
 * What holders of one key claim to have held, on the monotonic clock that all processes
 * of a host share, and whether that can be true. Thread-safe.
 */
public final class History {

	private final Collection<Interval> intervals = new ConcurrentLinkedQueue<>();

	private final Collection<Long> writes = new ConcurrentLinkedQueue<>();

	/**
	 * One hold, as its holder saw it.
	 *
	 * @param token its fencing token
	 * @param asked when the holder asked for it
	 * @param acquired when it had it
	 * @param ended when it asked for its release, or no longer believed in it
	 * @param shared whether others may have held the key beside it, if they shared it too
	 */
	public record Interval(long token, long asked, long acquired, long ended, boolean shared) {

		/** An exclusive hold. */
		Interval(long token, long asked, long acquired, long ended) {
			this(token, asked, acquired, ended, false);
		}

		/** Nothing if its holder stood still until it was over. */
		private boolean claimsNothing() {
			return this.ended - this.acquired < 0;
		}

	}

	/**
	 * Take note of a hold, in whatever order.
	 * @param interval the hold
	 */
	public void add(Interval interval) {
		this.intervals.add(interval);
	}

	/**
	 * Take note of a write that a fenced resource accepted, in the order in which it did.
	 * @param token the writer's fencing token
	 */
	public void accepted(long token) {
		this.writes.add(token);
	}

	/**
	 * Return how many holds are known.
	 * @return their number
	 */
	public int size() {
		return this.intervals.size();
	}

	/**
	 * Return what cannot be true: equal tokens, tokens against real time, overlapping
	 * holds, writes of former owners.
	 * @return a text for each contradiction, empty if there is none
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
		if (later.ended() - earlier.asked() < 0) {
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
