package io.leasehold;

/**
 * Thrown to a former owner of a lock that tries to go on: a later owner has announced its
 * token, or the own one is gone. The transaction is rolled back.
 */
public class StaleFencingTokenException extends LockException {

	private static final long serialVersionUID = 1L;

	private final long token;

	/**
	 * Create an exception.
	 * @param key the lock's key
	 * @param token the token that was refused
	 * @param message what was found instead
	 */
	public StaleFencingTokenException(String key, long token, String message) {
		super(key, message, null);
		this.token = token;
	}

	/**
	 * Return the token that was refused.
	 * @return the token of the former owner
	 */
	public long getToken() {
		return this.token;
	}

}
