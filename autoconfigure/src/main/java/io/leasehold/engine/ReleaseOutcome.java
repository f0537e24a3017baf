package io.leasehold.engine;

import java.time.Duration;

/**
 * Definite response of the store to the end of a claim: nothing of the claim remains.
 */
public sealed interface ReleaseOutcome {

	/** Released, without a time to leave to other processes. */
	ReleaseOutcome RELEASED = new Released(Duration.ZERO);

	/**
	 * The claim's owner held the key until now.
	 *
	 * @param standBack how long this process should leave the key to other waiters, in a
	 * store without a queue; otherwise zero
	 */
	record Released(Duration standBack) implements ReleaseOutcome {
	}

	/**
	 * The claim's owner did not hold the key: it was lost before, or never granted. If an
	 * earlier release, whose response was lost, may have freed it, the outcome is
	 * {@link Unknown} instead.
	 */
	record NotOwner() implements ReleaseOutcome {
	}

	/** The claim has ended, but it is unknown whether its owner still held the key. */
	record Unknown() implements ReleaseOutcome {
	}

}
