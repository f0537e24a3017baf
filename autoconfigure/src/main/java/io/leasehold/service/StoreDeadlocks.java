package io.leasehold.service;

import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.leasehold.LockDeadlocks;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.HeldKeys.HeldKey;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Owner;
import io.leasehold.service.gate.GateRules;
import org.jspecify.annotations.Nullable;

/**
 * Search for threads of several processes that wait for each other's locks, from what the
 * claims in one store show. A claim shows its process and the name of its thread, so
 * claims whose names are not those of one blocked thread do not count. Not thread-safe.
 */
final class StoreDeadlocks {

	/** Bounds the requests of one search. */
	private static final int MOST_PAGES = 20;

	private static final int PAGE = 500;

	/** Bounds the memory of one search, together with the waits of a page. */
	private static final int MOST_WAITS = 20_000;

	/** Waits by thread, which has several if its name is that of several threads. */
	private final Map<String, List<Wait>> byThread = new HashMap<>();

	/** Waits that may be part of a cycle. */
	private final Set<Wait> left = new LinkedHashSet<>();

	private StoreDeadlocks() {
	}

	/**
	 * Search all keys for which claims wait.
	 * @return the cycles, or {@code null} if the store does not know which threads wait
	 */
	static @Nullable LockDeadlocks search(HeldKeys keys) {
		StoreDeadlocks search = new StoreDeadlocks();
		String next = null;
		for (int i = 0; i < MOST_PAGES && search.left.size() < MOST_WAITS; i++) {
			HeldKeys.Page page = page(keys, next);
			if (page == null && next != null) {
				break;
			}
			if (page == null) {
				return null;
			}
			page.keys().forEach(search::add);
			next = page.next();
			if (next == null) {
				break;
			}
		}
		return new LockDeadlocks(search.cycles(), next == null);
	}

	/** Return a page, or {@code null} if the store does not have it (any more). */
	private static HeldKeys.@Nullable Page page(HeldKeys keys, @Nullable String after) {
		try {
			return keys.listAwaited(after, PAGE);
		}
		catch (IllegalArgumentException ex) {
			return null; // such as for a server that is none of the store's any more
		}
	}

	private void add(HeldKey key) {
		for (Holder waiter : key.waiters()) {
			if (isThread(waiter)) {
				Wait wait = new Wait(waiter, key);
				this.byThread.computeIfAbsent(threadOf(waiter), (first) -> new ArrayList<>(1)).add(wait);
				this.left.add(wait);
			}
		}
	}

	/** Names may be missing, as those of virtual threads, or truncated. */
	private static boolean isThread(Holder claim) {
		String thread = claim.thread();
		return claim.isKnown() && !claim.lingers() && !thread.isEmpty() && thread.length() < Owner.LONGEST_THREAD
				&& !thread.startsWith(GateRules.ASYNC);
	}

	private static String threadOf(Holder claim) {
		return claim.member() + "/" + claim.thread();
	}

	private List<List<LockDeadlocks.Wait>> cycles() {
		List<List<LockDeadlocks.Wait>> cycles = new ArrayList<>();
		while (removeFree()) {
			List<Wait> path = new ArrayList<>();
			Wait wait = this.left.iterator().next();
			while (!path.contains(wait)) {
				path.add(wait);
				wait = Objects.requireNonNull(next(wait));
			}
			List<Wait> cycle = path.subList(path.indexOf(wait), path.size());
			cycles.add(cycle.stream().map(Wait::describe).toList());
			cycle.forEach(this.left::remove);
		}
		return cycles;
	}

	/** Remove the waits for threads that do not wait, and return whether any are left. */
	private boolean removeFree() {
		boolean removed = true;
		while (removed) {
			removed = this.left.removeIf((wait) -> next(wait) == null);
		}
		return !this.left.isEmpty();
	}

	/**
	 * Return a wait of a thread of another process that holds the awaited key, or
	 * {@code null}. A thread does not request a lock of its process from the store: if it
	 * seems so, the process has passed the lock on.
	 */
	private @Nullable Wait next(Wait wait) {
		return wait.key.holders()
			.stream()
			.filter((holder) -> isThread(holder) && !holder.member().equals(wait.waiter.member()))
			.flatMap((holder) -> this.byThread.getOrDefault(threadOf(holder), List.of()).stream())
			.filter(this.left::contains)
			.findFirst()
			.orElse(null);
	}

	/** Wait of a thread, equal only to itself. */
	private static final class Wait {

		private final Holder waiter;

		private final HeldKey key;

		Wait(Holder waiter, HeldKey key) {
			this.waiter = waiter;
			this.key = key;
		}

		LockDeadlocks.Wait describe() {
			return new LockDeadlocks.Wait(this.waiter.application(), this.waiter.host(), this.waiter.process(),
					this.waiter.thread(), this.waiter.since().truncatedTo(ChronoUnit.MILLIS), this.key.key().value());
		}

	}

}
