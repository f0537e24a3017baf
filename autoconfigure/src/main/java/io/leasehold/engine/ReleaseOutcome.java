package io.leasehold.engine;

import java.time.Duration;

/**
 * Definite response of the store to the end of a claim: nothing of the claim remains.
 */
public sealed interface ReleaseOutcome {

	/** Released, without a time to leave to other processes. */
	ReleaseOutcome RELEASED = new Released(Duration.ZERO);

	/**
	 * The claim's owner held the key until now, as far as is known.
	 *
	 * @param standBack how long this process should leave the key to other waiters, in a
	 * store without a queue; otherwise zero
	 */
	record Released(Duration standBack) implements ReleaseOutcome {
	}

	/**
	 * The claim's owner did not hold the key when the request ran: it was lost before,
	 * never granted, or freed by an earlier release whose response was lost. The first
	 * release of a claim returns it only for the first two reasons, because the service
	 * reports a loss.
	 */
	record NotOwner() implements ReleaseOutcome {
	}

}
