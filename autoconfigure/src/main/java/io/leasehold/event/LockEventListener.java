package io.leasehold.event;

import io.leasehold.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Listener for lock events. It is called in the thread that caused the event, or in a
 * thread of the library if no caller's thread did, never in one that renews leases. It
 * should be fast. Its exceptions are logged and affect no lock.
 */
@FunctionalInterface
public interface LockEventListener {

	/**
	 * Handle an event.
	 * @param event the event
	 */
	void onEvent(LockEvent event);

	/**
	 * Return a listener for one acquisition, which events do not identify. Called in the
	 * thread of the caller that requests the lock.
	 * @param engine the engine's name
	 * @param name fixed name of the lock
	 * @param key the key
	 * @return the listener for this acquisition, or {@code null} for none
	 */
	default @Nullable AcquisitionListener follow(String engine, String name, LockKey key) {
		return null;
	}

}
