package io.leasehold.engine;

/**
 * The store's answer to a renewal.
 */
public sealed interface RenewalOutcome {

	/**
	 * The grant was extended.
	 *
	 * @param validUntil reading of the monotonic clock until when the grant may be
	 * believed in, computed from before the request was sent
	 */
	record Renewed(long validUntil) implements RenewalOutcome {
	}

	/** The store knows for certain that the grant is no longer in force. */
	record NotOwner() implements RenewalOutcome {
	}

	/**
	 * Nothing is known: the store did not answer, or the answer proves nothing.
	 *
	 * @param cause what went wrong
	 */
	record Unknown(Exception cause) implements RenewalOutcome {
	}

}
