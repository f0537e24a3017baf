package io.leasehold.engine;

/**
 * What a store tells a waiting claim without being asked.
 */
public sealed interface Signal {

	/** The key may be free now: ask at once. */
	record AskAgain() implements Signal {
	}

	/**
	 * The key was granted to the waiting claim.
	 *
	 * @param grant the grant
	 */
	record Pushed(Attempt.Granted grant) implements Signal {
	}

}
