package io.leasehold.event;

import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Told what happens to locks. Called in the thread in which it happened, or in one of the
 * library's own for what no caller's thread sees; never in one that renews leases. Should
 * be quick. What it throws is logged and harms no lock.
 */
@FunctionalInterface
public interface LockEventListener {

	/**
	 * Take note of an event.
	 * @param event what happened
	 */
	void onEvent(LockEvent event);

	/**
	 * A caller asks for a lock; called in its thread. Allows to follow this acquisition
	 * by itself, where events tell only that there was one.
	 * @param engine the engine's name
	 * @param name fixed name of the lock
	 * @param key the key
	 * @return told what becomes of it, or {@code null} for nobody
	 */
	default @Nullable AcquisitionListener follow(String engine, String name, LockKey key) {
		return null;
	}

}
