package io.leasehold.service.gate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import io.leasehold.LockOverview;
import org.jspecify.annotations.Nullable;

/**
 * Collector of the held and awaited locks of several gates, for operators.
 */
public final class Survey {

	private final List<LockOverview.Held> held = new ArrayList<>();

	private final List<LockOverview.Waiting> waiting = new ArrayList<>();

	private final List<LockOverview.Parked> parked = new ArrayList<>();

	private final Instant date = Instant.now();

	private final long start;

	/**
	 * Create a survey that begins now.
	 * @param now reading of the clock of the gates, to which the date of now belongs
	 */
	public Survey(long now) {
		this.start = now;
	}

	/** Add the callers that wait for a key, its open holds and its parked grant. */
	void add(String engine, @Nullable Waiter head, @Nullable Hold first, @Nullable Hold parked, long now) {
		int before = this.waiting.size();
		for (Waiter waiter = head; waiter != null; waiter = waiter.next) {
			if (waiter.waited) {
				this.waiting.add(
						new LockOverview.Waiting(engine, waiter.key(), waiter.options().name(), nameOf(waiter.thread()),
								dateOf(waiter.start()), Duration.ofNanos(Math.max(0, waiter.deadline() - now))));
			}
		}
		for (Hold hold = first; hold != null; hold = hold.next) {
			if (hold.isOpened() && !hold.isClosed()) {
				this.held.add(new LockOverview.Held(engine, hold.key(), hold.options.name(), hold.fencingToken(),
						nameOf(hold.thread), dateOf(hold.since), Duration.ofNanos(hold.remaining(now)), hold.handles(),
						this.waiting.size() - before));
			}
		}
		if (parked != null) {
			this.parked.add(new LockOverview.Parked(engine, parked.key(), parked.options.name(), parked.fencingToken(),
					Duration.ofNanos(parked.grant.remaining(now))));
		}
	}

	public LockOverview overview() {
		this.held.sort(Comparator.comparing(LockOverview.Held::since));
		this.waiting.sort(Comparator.comparing(LockOverview.Waiting::since));
		return new LockOverview(List.copyOf(this.held), List.copyOf(this.waiting), List.copyOf(this.parked));
	}

	/** Return how long a lock of this survey was held when the survey began. */
	public Duration age(LockOverview.Held lock) {
		return Duration.between(lock.since(), this.date);
	}

	/** Return how long a caller of this survey had waited when the survey began. */
	public Duration age(LockOverview.Waiting caller) {
		return Duration.between(caller.since(), this.date);
	}

	private Instant dateOf(long reading) {
		return this.date.plusNanos(reading - this.start);
	}

	/**
	 * Return the thread's name, or what else identifies it if it has none, as virtual
	 * threads by default.
	 */
	public static @Nullable String nameOf(@Nullable Thread thread) {
		if (thread == null) {
			return null;
		}
		return thread.getName().isEmpty() ? thread.toString() : thread.getName();
	}

}
