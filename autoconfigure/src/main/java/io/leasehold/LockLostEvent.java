package io.leasehold;

/**
 * Application event: a lock was lost while it was held. Listen to it with
 * {@code @EventListener}; it comes in a thread of the library.
 *
 * @param engine the engine's name
 * @param name fixed name of the lock
 * @param key the key
 * @param fencingToken number of the acquisition
 * @param cause why
 */
public record LockLostEvent(String engine, String name, String key, long fencingToken, LossCause cause) {

	/** With the key in its {@linkplain LockKey#readable() readable} form. */
	@Override
	public String toString() {
		return "LockLostEvent[engine=%s, name=%s, key=%s, fencingToken=%d, cause=%s]".formatted(this.engine, this.name,
				LockKey.readable(this.key), this.fencingToken, this.cause);
	}

}
