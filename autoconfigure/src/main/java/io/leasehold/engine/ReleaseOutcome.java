package io.leasehold.engine;

import java.time.Duration;

/**
 * The store's definite answer to the end of a claim: nothing of the claim is left there.
 */
public sealed interface ReleaseOutcome {

	/** Released, and nobody has to be let in first. */
	ReleaseOutcome RELEASED = new Released(Duration.ZERO);

	/**
	 * The claim's owner held the key until now.
	 *
	 * @param standBack how long this process should leave the key to others that wait, in
	 * a store without a queue; otherwise zero
	 */
	record Released(Duration standBack) implements ReleaseOutcome {
	}

	/**
	 * The claim's owner did not hold the key: it was lost before, or never granted. Not
	 * the answer if an earlier release of the claim may have freed it, whose own answer
	 * was lost: that is {@link Unknown}.
	 */
	record NotOwner() implements ReleaseOutcome {
	}

	/** The claim is over, but whether its owner still held the key cannot be told. */
	record Unknown() implements ReleaseOutcome {
	}

}
