package io.leasehold;

/**
 * Application event for a lock that was lost while it was held. Listen to it with
 * {@code @EventListener}. It is published in a thread of the library.
 *
 * @param engine the engine's name
 * @param name fixed name of the lock
 * @param key the key
 * @param fencingToken token of the acquisition
 * @param cause cause of the loss
 */
public record LockLostEvent(String engine, String name, String key, long fencingToken, LossCause cause) {

	/** With the key in its {@linkplain LockKey#readable() readable} form. */
	@Override
	public String toString() {
		return "LockLostEvent[engine=%s, name=%s, key=%s, fencingToken=%s, cause=%s]".formatted(this.engine, this.name,
				LockKey.readable(this.key), this.fencingToken, this.cause);
	}

}
