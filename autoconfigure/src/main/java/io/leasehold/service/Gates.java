package io.leasehold.service;

import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import io.leasehold.LockKey;
import io.leasehold.LockOptions;
import io.leasehold.service.gate.GateRules;
import io.leasehold.service.gate.KeyGate;
import org.jspecify.annotations.Nullable;

/**
 * Gates of one engine, one for each key that is held or awaited. Thread-safe.
 */
final class Gates {

	private final ConcurrentHashMap<LockKey, KeyGate> gates = new ConcurrentHashMap<>();

	private final AtomicReference<@Nullable Runnable> whenIdle = new AtomicReference<>();

	private final GateRules rules;

	private final ClaimCloser closer;

	Gates(GateRules rules, ClaimCloser closer) {
		this.rules = rules;
		this.closer = closer;
	}

	/** Return the gate of a key; create one for a caller if there is none. */
	KeyGate gate(LockKey key, LockOptions options) {
		KeyGate found = this.gates.get(key);
		if (found != null) {
			return found;
		}
		KeyGate created = new KeyGate(key, options, this.rules);
		found = this.gates.putIfAbsent(key, created);
		return (found != null) ? found : created;
	}

	@Nullable KeyGate find(LockKey key) {
		return this.gates.get(key);
	}

	/** Run an action with the gate of a key, if there is one. */
	void ifUsed(LockKey key, Consumer<KeyGate> action) {
		KeyGate gate = find(key);
		if (gate != null) {
			action.accept(gate);
		}
	}

	/** Return a live view of all gates. */
	Collection<KeyGate> all() {
		return this.gates.values();
	}

	void remove(KeyGate gate) {
		this.gates.remove(gate.key(), gate);
		checkIdle();
	}

	void drain(Runnable action) {
		this.whenIdle.set(action);
		this.rules.drain(true);
	}

	void resume() {
		this.rules.drain(false);
	}

	void checkIdle() {
		if (this.rules.isDraining() && this.gates.isEmpty() && this.closer.hasTriedAll()) {
			Runnable action = this.whenIdle.getAndSet(null);
			if (action != null) {
				action.run();
			}
		}
	}

}
