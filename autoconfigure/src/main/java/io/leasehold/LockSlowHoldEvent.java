package io.leasehold;

import java.time.Duration;

/**
 * Application event for a lock that is held for longer than {@code leasehold.slow-hold}.
 * Published once per hold, usually while it is still held. Listen to it with
 * {@code @EventListener}. It is published in a thread of the library.
 *
 * @param engine the engine's name
 * @param name fixed name of the lock
 * @param key the key
 * @param fencingToken token of the acquisition
 * @param held how long it has been held
 */
public record LockSlowHoldEvent(String engine, String name, String key, long fencingToken, Duration held) {

	/** With the key in its {@linkplain LockKey#readable() readable} form. */
	@Override
	public String toString() {
		return "LockSlowHoldEvent[engine=%s, name=%s, key=%s, fencingToken=%s, held=%s]".formatted(this.engine,
				this.name, LockKey.readable(this.key), this.fencingToken, this.held);
	}

}
