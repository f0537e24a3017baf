package io.leasehold;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Application event for a failed acquisition. Listen to it with {@code @EventListener}.
 * It is published in a thread of the library, concurrently with the caller.
 *
 * @param engine the engine's name
 * @param name fixed name of the lock
 * @param key the key, {@code null} if it could not name a lock
 * @param reason why the acquisition failed
 * @param after how long the acquisition took
 */
public record LockAcquisitionFailedEvent(String engine, String name, @Nullable String key, Reason reason,
		Duration after) {

	/** Reason of a failed acquisition. */
	public enum Reason {

		/** Another owner held the key for the whole wait time. */
		BUSY,

		/** The waiting thread was interrupted, or the wait was cancelled. */
		INTERRUPTED,

		/** The store did not respond. */
		UNAVAILABLE,

		/**
		 * The store did not respond, and the method ran without its lock, as configured.
		 */
		BYPASSED,

		/** Any other failure, such as an invalid key. */
		ERROR

	}

	/** With the key in its {@linkplain LockKey#readable() readable} form. */
	@Override
	public String toString() {
		return "LockAcquisitionFailedEvent[engine=%s, name=%s, key=%s, reason=%s, after=%s]".formatted(this.engine,
				this.name, (this.key != null) ? LockKey.readable(this.key) : null, this.reason, this.after);
	}

}
