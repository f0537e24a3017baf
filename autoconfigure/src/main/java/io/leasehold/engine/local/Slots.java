package io.leasehold.engine.local;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Slots of all keys that are held, awaited or kept locked. Thread-safe.
 */
final class Slots {

	private final ConcurrentHashMap<LockKey, Slot> slots = new ConcurrentHashMap<>();

	/** Return a key's slot, created if there is none. */
	Slot get(LockKey key) {
		Slot found = this.slots.get(key);
		if (found != null) {
			return found;
		}
		Slot made = new Slot();
		found = this.slots.putIfAbsent(key, made);
		return (found != null) ? found : made;
	}

	/** Read a key's slot under its monitor; null if there is none. */
	<T> @Nullable T read(LockKey key, Read<T> read) {
		Slot slot = this.slots.get(key);
		if (slot == null) {
			return null;
		}
		synchronized (slot) {
			return slot.gone ? null : read.apply(slot);
		}
	}

	void remove(LockKey key, Slot slot) {
		this.slots.remove(key, slot);
	}

	Set<LockKey> keys() {
		return this.slots.keySet();
	}

	int size() {
		return this.slots.size();
	}

	/** Reads a slot. */
	interface Read<T> {

		@Nullable T apply(Slot slot);

	}

}
