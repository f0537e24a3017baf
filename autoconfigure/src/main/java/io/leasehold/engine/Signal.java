package io.leasehold.engine;

/**
 * Message of a store to a waiting claim.
 */
public sealed interface Signal {

	/** The key may be free: the claim should retry at once. */
	record Retry() implements Signal {
	}

	/**
	 * The key was granted to the waiting claim after its last request that returned
	 * <em>busy</em>. An older grant must not be signalled, because it has ended.
	 *
	 * @param grant the grant
	 */
	record Pushed(AcquisitionOutcome.Granted grant) implements Signal {
	}

}
