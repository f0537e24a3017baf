package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Thrown at the end of the guarded work when its lock was lost on the way: another owner
 * may have worked beside it.
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	private final LossCause lossCause;

	public LockLostException(LockKey key, String engine, LossCause lossCause) {
		this(key, engine, lossCause, null);
	}

	/**
	 * Create an exception.
	 * @param key the key
	 * @param engine name of the engine
	 * @param lossCause why the lock was lost
	 * @param renewalFailure why its last renewal failed, if it did; it is suppressed, not
	 * the cause
	 */
	public LockLostException(LockKey key, String engine, LossCause lossCause, @Nullable Throwable renewalFailure) {
		super(key.value(),
				"Lock '%s' was lost while it was held: %s (engine: %s)".formatted(key, lossCause.description(), engine),
				null);
		this.lossCause = lossCause;
		if (renewalFailure != null) {
			addSuppressed(renewalFailure);
		}
	}

	/**
	 * Return why the lock was lost.
	 * @return the cause, never {@code null}
	 */
	public LossCause getLossCause() {
		return this.lossCause;
	}

}
