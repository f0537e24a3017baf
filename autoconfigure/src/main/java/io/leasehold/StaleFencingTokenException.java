package io.leasehold;

/**
 * Exception for a former owner that tries to commit: a later owner has announced its
 * token, or the own token is gone. The transaction is rolled back.
 */
public class StaleFencingTokenException extends LockException {

	private static final long serialVersionUID = 1L;

	private final long token;

	/**
	 * Create an exception.
	 * @param key the lock's key
	 * @param token the rejected token
	 * @param message what was found instead
	 */
	public StaleFencingTokenException(String key, long token, String message) {
		super(key, message, null);
		this.token = token;
	}

	/** Return the rejected token, which belongs to a former owner. */
	public long getToken() {
		return this.token;
	}

}
