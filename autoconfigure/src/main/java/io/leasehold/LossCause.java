package io.leasehold;

/**
 * Why a lock was lost while it was held.
 */
public enum LossCause {

	/** The store said that somebody else, or nobody, owns the lock. */
	NOT_OWNER("the store no longer knows this owner"),

	/** The lease ended before it could be renewed. */
	EXPIRED("its lease ended before it could be renewed"),

	/** The longest hold time passed, which ends the lease, too. */
	MAX_HOLD("its longest hold time is over"),

	/** The application was shut down before the holder finished. */
	SHUTDOWN("the application shut down before its holder finished"),

	/** Nobody is left who could release it: the thread died or the handle was dropped. */
	ABANDONED("nobody is left to release it"),

	/** The caller cancelled a result whose method may still be running. */
	CANCELLED("its caller cancelled the result while the method may still run");

	private final String description;

	LossCause(String description) {
		this.description = description;
	}

	/**
	 * Return the cause in words.
	 * @return half a sentence for messages
	 */
	public String description() {
		return this.description;
	}

}
