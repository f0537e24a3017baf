package io.leasehold.engine.local;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.HeldKeys;
import io.leasehold.engine.MonotonicClock;
import org.jspecify.annotations.Nullable;

/**
 * List of the held keys in memory, in alphabetical order.
 *
 * @param faults the simulated faults of the store
 */
record LocalHeldKeys(LocalFaults faults, Slots slots, MonotonicClock clock) implements HeldKeys {

	@Override
	public Page list(String prefix, @Nullable String after, int limit) {
		return list(prefix, after, limit, false);
	}

	@Override
	public Page listAwaited(@Nullable String after, int limit) {
		return list("", after, limit, true);
	}

	private Page list(String prefix, @Nullable String after, int limit, boolean awaited) {
		if (after != null && !after.startsWith(prefix)) {
			throw HeldKeys.noPosition(after);
		}
		this.faults.beforeList();
		Iterator<String> following = this.slots.keys()
			.stream()
			.map(LockKey::value)
			.filter((key) -> key.startsWith(prefix) && (after == null || key.compareTo(after) > 0))
			.sorted()
			.iterator();
		List<HeldKey> held = new ArrayList<>();
		String last = null;
		while (following.hasNext() && held.size() < limit) {
			last = following.next();
			LockKey key = new LockKey(last);
			HeldKey found = this.slots.read(key, (slot) -> {
				long now = this.clock.nanoTime();
				return new HeldKey(key, slot.holders(now), awaited ? slot.waiters(now) : List.of());
			});
			if (found != null && found.isListed(awaited)) {
				held.add(found);
			}
		}
		return new Page(held, following.hasNext() ? last : null);
	}

}
