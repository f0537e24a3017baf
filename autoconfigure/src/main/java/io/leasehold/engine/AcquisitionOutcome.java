package io.leasehold.engine;

import java.time.Duration;

/**
 * Response of the store to a claim.
 */
public sealed interface AcquisitionOutcome {

	/**
	 * The claim's owner holds the key, alone or with others of the same access.
	 *
	 * @param number grant number, greater than those of all earlier grants of the key,
	 * positive and below 2^57
	 * @param validUntil reading of the monotonic clock until which the grant is valid,
	 * computed from before the request was sent
	 */
	record Granted(long number, long validUntil) implements AcquisitionOutcome {
	}

	/**
	 * The key has another owner, or other claims precede the claim in the queue.
	 *
	 * @param retryIn maximum time until the next request; a {@linkplain Signal signal}
	 * may arrive earlier
	 */
	record Busy(Duration retryIn) implements AcquisitionOutcome {
	}

	/**
	 * The key is held with another number of permits. Nothing of the claim remains in the
	 * store.
	 *
	 * @param held the access of those who hold the key
	 */
	record Contradicted(Access held) implements AcquisitionOutcome {
	}

}
