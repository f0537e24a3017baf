package io.leasehold;

import org.jspecify.annotations.Nullable;

/**
 * Exception at the end of work whose lock was lost while it was held: another owner may
 * have worked concurrently.
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
	 * @param lossCause cause of the loss
	 * @param renewalFailure failure of the last renewal, if any; it is suppressed, not
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

	/** Return the cause of the loss, never {@code null}. */
	public LossCause getLossCause() {
		return this.lossCause;
	}

}
