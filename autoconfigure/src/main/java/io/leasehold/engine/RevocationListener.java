package io.leasehold.engine;

import java.util.function.Predicate;

/**
 * Listener for grants that end before their holders release them, such as by a forced
 * release, or that other processes want.
 */
@FunctionalInterface
public interface RevocationListener {

	/**
	 * Process the report of a revoked grant. Called in any thread; must not block.
	 * @param number number of the grant
	 * @param claim matches the claim that had the grant
	 */
	void revoked(long number, Predicate<Claim> claim);

	/**
	 * Process the report of a revoked grant of a known claim, at a cost that does not
	 * depend on the number of locks. Called in any thread; must not block.
	 * @param number number of the grant
	 * @param claim the claim that had the grant
	 */
	default void revoked(long number, Claim claim) {
		revoked(number, (other) -> other.owner().equals(claim.owner()));
	}

	/**
	 * Process the report that another process wants the key of a lingering grant. It may
	 * arrive before the response that granted the claim, and after its end. Called in any
	 * thread; must not block.
	 * @param claim the claim that has the grant
	 */
	default void recalled(Claim claim) {
	}

}
