package io.leasehold.test.contract;

import io.leasehold.engine.Claim;

/**
 * Variants of claims that were not requested yet.
 */
public final class Claims {

	private Claims() {
	}

	/** Return a claim of the same owner that waits if its key is busy. */
	public static Claim waiting(Claim claim) {
		return new Claim(claim.key(), claim.owner(), claim.terms(), true, claim.since(), claim.lingers());
	}

}
