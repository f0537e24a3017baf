package io.leasehold;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Application event: a lock was not had. Listen to it with {@code @EventListener}; it
 * comes in a thread of the library, after the caller was told.
 *
 * @param engine the engine's name
 * @param name fixed name of the lock
 * @param key the key, {@code null} if it could not name a lock
 * @param reason why the lock was not had
 * @param after how long the caller had tried
 */
public record LockAcquisitionFailedEvent(String engine, String name, @Nullable String key, Reason reason,
		Duration after) {

	/** Why a lock was not had. */
	public enum Reason {

		/** Another owner kept the key for the whole wait time. */
		BUSY,

		/** The waiting thread was interrupted, or the wait was cancelled. */
		INTERRUPTED,

		/** The store did not answer. */
		UNAVAILABLE,

		/**
		 * The store did not answer, and the method ran without its lock, as configured.
		 */
		BYPASSED,

		/** Anything else, such as an unusable key. */
		ERROR

	}

	/** With the key in its {@linkplain LockKey#readable() readable} form. */
	@Override
	public String toString() {
		return "LockAcquisitionFailedEvent[engine=%s, name=%s, key=%s, reason=%s, after=%s]".formatted(this.engine,
				this.name, (this.key != null) ? LockKey.readable(this.key) : null, this.reason, this.after);
	}

}
