package io.leasehold.engine;

/**
 * Outcome of a renewal.
 */
public sealed interface RenewalOutcome {

	/**
	 * The grant was extended.
	 *
	 * @param validUntil reading of the monotonic clock until which the grant is valid,
	 * computed from before the request was sent
	 */
	record Renewed(long validUntil) implements RenewalOutcome {
	}

	/** The store confirmed that the grant is no longer in force. */
	record NotOwner() implements RenewalOutcome {
	}

	/**
	 * The store did not respond, or its response proves nothing.
	 *
	 * @param cause what went wrong
	 */
	record Unknown(Exception cause) implements RenewalOutcome {
	}

}
