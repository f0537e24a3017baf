package io.leasehold;

/**
 * Thrown at the end of the guarded work when its lock was lost on the way: another owner
 * may have worked beside it.
 */
public class LockLostException extends LockException {

	private static final long serialVersionUID = 1L;

	private final LossCause lossCause;

	public LockLostException(LockKey key, String engine, LossCause lossCause) {
		super(key.value(),
				"Lock '%s' was lost while it was held: %s (engine: %s)".formatted(key, lossCause.description(), engine),
				null);
		this.lossCause = lossCause;
	}

	/**
	 * Return why the lock was lost.
	 * @return the cause, never {@code null}
	 */
	public LossCause getLossCause() {
		return this.lossCause;
	}

}
