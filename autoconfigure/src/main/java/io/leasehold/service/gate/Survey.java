package io.leasehold.service.gate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import io.leasehold.LockOptions;
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

	private final Predicate<LockOptions> callers;

	/**
	 * Create a survey that begins now.
	 * @param now reading of the clock of the gates, to which the date of now belongs
	 */
	public Survey(long now) {
		this(now, (options) -> true);
	}

	/**
	 * Create a survey that begins now.
	 * @param now reading of the clock of the gates, to which the date of now belongs
	 * @param callers whether to add the callers that wait with given options
	 */
	public Survey(long now, Predicate<LockOptions> callers) {
		this.start = now;
		this.callers = callers;
	}

	/** Add the callers that wait for a key, its open holds and its parked grant. */
	public void add(KeyState state) {
		for (Waiter waiter : state.waiting()) {
			if (this.callers.test(waiter.options())) {
				this.waiting.add(new LockOverview.Waiting(state.engine(), waiter.key(), waiter.options().name(),
						nameOf(waiter.thread()), dateOf(waiter.start()),
						Duration.ofNanos(Math.max(0, waiter.deadline() - state.now()))));
			}
		}
		for (KeyState.Held held : state.held()) {
			Hold hold = held.hold();
			if (held.handles() > 0) {
				this.held.add(new LockOverview.Held(state.engine(), hold.key(), hold.options.name(),
						hold.fencingToken(), nameOf(hold.thread), dateOf(hold.since),
						Duration.ofNanos(hold.remaining(state.now())), held.handles(), state.waiting().size()));
			}
		}
		Hold last = state.parked();
		if (last != null) {
			this.parked.add(new LockOverview.Parked(state.engine(), last.key(), last.options.name(),
					last.fencingToken(), Duration.ofNanos(last.grant.remaining(state.now()))));
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
