package io.leasehold.service;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.leasehold.HeldLock;
import io.leasehold.LockBusyException;
import io.leasehold.service.gate.Hold;
import io.leasehold.service.gate.KeyGate;
import io.leasehold.service.gate.KeyState;
import io.leasehold.service.gate.Waiter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Detector of threads of this process that wait for each other's locks, of any engine. A
 * thread takes part if it waits under a lock. Permits do not: another holder may release
 * one. Threads begin to wait one after the other, so that one of them finds the cycle.
 * Thread-safe.
 */
final class Deadlocks {

	private static final Log logger = LogFactory.getLog(Deadlocks.class);

	private final DeadlockPolicy policy;

	private final ConcurrentMap<Waiter, Wait> waits = new ConcurrentHashMap<>();

	Deadlocks(DeadlockPolicy policy) {
		this.policy = policy;
	}

	/**
	 * The current thread begins to wait. If that completes a cycle, a warning is logged.
	 * @return why it must not wait, or {@code null}
	 */
	@Nullable LockBusyException begin(Waiter waiter, KeyGate gate, long now) {
		List<HeldLock> outer = (waiter.thread() != null) ? waiter.outer() : List.of();
		String cycle = outer.isEmpty() ? "" : begin(new Wait(waiter, gate, outer, ""));
		if (cycle.isEmpty()) {
			return null;
		}
		logger.warn("%s. Acquire the locks in the same order everywhere, or by one call".formatted(cycle));
		return (this.policy == DeadlockPolicy.BREAK) ? refusal(waiter, cycle, now) : null;
	}

	private synchronized String begin(Wait wait) {
		this.waits.put(wait.waiter, wait);
		String cycle = wait.isOver() ? "" : find(wait.waiter);
		if (!cycle.isEmpty() && this.policy == DeadlockPolicy.BREAK) {
			this.waits.remove(wait.waiter);
		}
		return cycle;
	}

	private static LockBusyException refusal(Waiter waiter, String cycle, long now) {
		Duration waited = Duration.ofNanos(now - waiter.start());
		return new LockBusyException(waiter.key(),
				"Lock '%s' was not acquired within %s ms. %s".formatted(waiter.key(), waited.toMillis(), cycle),
				waited);
	}

	/** The current thread does not wait any more. */
	void end(Waiter waiter) {
		if (!this.waits.isEmpty()) {
			this.waits.remove(waiter);
		}
	}

	/**
	 * The wait time of a thread has ended, and it gives up next. Of the threads of a
	 * cycle whose wait times end together, the first one still finds it.
	 */
	void timesOut(Waiter waiter) {
		String cycle = find(waiter);
		if (!cycle.isEmpty()) {
			this.waits.computeIfPresent(waiter, (same, wait) -> new Wait(waiter, wait.gate, wait.outer, cycle));
		}
	}

	/**
	 * Describe the cycle to which a thread belonged when its wait time ended, or return
	 * an empty text.
	 */
	String describe(Waiter waiter) {
		Wait wait = this.waits.get(waiter);
		return (wait != null) ? wait.cycle : "";
	}

	/** Describe the cycle to which a waiting thread belongs, or return an empty text. */
	private String find(Waiter waiter) {
		Wait start = this.waits.get(waiter);
		List<Wait> cycle = new ArrayList<>();
		if (start == null || !leadsTo(start, start, cycle, new HashSet<>()) || cycle.size() == 1) {
			return "";
		}
		Collections.reverse(cycle);
		StringBuilder text = new StringBuilder("Deadlock: thread ").append(waiter.threadName());
		for (int i = 0; i < cycle.size(); i++) {
			Wait holder = cycle.get((i + 1) % cycle.size());
			text.append((i > 0) ? ", which" : "")
				.append(" waits for lock '%s' of thread %s".formatted(cycle.get(i).waiter.key(),
						holder.waiter.threadName()));
		}
		return text.toString();
	}

	/** Search from a wait, and add the waits of the cycle in reverse order. */
	private boolean leadsTo(Wait end, Wait wait, List<Wait> cycle, Set<Waiter> seen) {
		for (KeyState.Held held : wait.gate.held()) {
			for (Wait next : held.hold().isPermit() ? List.<Wait>of() : this.waits.values()) {
				if (next.runsUnder(held.hold()) && (next == end
						|| !next.isOver() && seen.add(next.waiter) && leadsTo(end, next, cycle, seen))) {
					cycle.add(wait);
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Wait of a thread for the key of a gate. A lock whose handle was passed to another
	 * thread does not belong to the thread that acquired it.
	 *
	 * @param outer the locks under which the thread runs
	 * @param cycle the cycle of waits when the wait time ended, empty before
	 */
	private record Wait(Waiter waiter, KeyGate gate, List<HeldLock> outer, String cycle) {

		boolean isOver() {
			return this.waiter.hasEnded();
		}

		boolean runsUnder(Hold hold) {
			return this.outer.stream().anyMatch((lock) -> Handle.isOpenHandle(lock, hold));
		}

	}

}
