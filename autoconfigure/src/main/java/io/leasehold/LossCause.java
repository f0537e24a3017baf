package io.leasehold;

/**
 * Cause of the loss of a held lock.
 */
public enum LossCause {

	/** The store reported another owner of the lock, or none. */
	NOT_OWNER("the store no longer knows this owner"),

	/** The lease expired before it could be renewed. */
	EXPIRED("its lease expired before it could be renewed"),

	/** The maximum hold passed, which also ends the lease. */
	MAX_HOLD("its maximum hold time has passed"),

	/** The application was shut down before the holder finished. */
	SHUTDOWN("the application shut down before its holder finished"),

	/** The holder's thread died, or its handle was dropped without being closed. */
	ABANDONED("no live thread or handle can release it, see leasehold.leak-detection"),

	/** The caller cancelled a result whose method may still be running. */
	CANCELLED("its caller cancelled the result while the method may still run"),

	/** A commit under the lock failed, and its rows may still become visible. */
	COMMIT_UNKNOWN("the outcome of a commit under it is unknown");

	private final String description;

	LossCause(String description) {
		this.description = description;
	}

	/** Return the description of the cause, a clause for messages. */
	public String description() {
		return this.description;
	}

}
