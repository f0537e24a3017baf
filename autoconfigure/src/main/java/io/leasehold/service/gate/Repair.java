package io.leasehold.service.gate;

/**
 * Kind of repair by the self-check.
 */
public enum Repair {

	/** A request for the head of a queue was not sent. */
	REQUEST("requests were not sent"),

	/** A lock was granted, but its caller did not take it. */
	GRANT("granted locks were not taken by their callers"),

	/** A closed lock was not released. */
	RELEASE("closed locks were not released"),

	/** Leases were not renewed. */
	RENEWAL("renewals did not begin or end");

	/** Number of checks without progress after which an operation counts as stuck. */
	public static final int PATIENCE = 5;

	private final String description;

	Repair(String description) {
		this.description = description;
	}

	@Override
	public String toString() {
		return this.description;
	}

}
