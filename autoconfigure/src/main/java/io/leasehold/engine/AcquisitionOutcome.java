package io.leasehold.engine;

import java.time.Duration;

/**
 * Response of the store to a claim.
 */
public sealed interface AcquisitionOutcome {

	/**
	 * The claim's owner holds the key, alone or with others of the same access. The
	 * service releases a grant whose validity ended before it arrived, and requests the
	 * key by a new claim.
	 *
	 * @param number grant number, greater than those of all earlier grants of the key,
	 * positive and below 2^57
	 * @param validUntil reading of the monotonic clock until which the grant is valid,
	 * computed from before the request was sent
	 * @param reserved how many numbers after the grant number belong to the grant, if it
	 * lingers; zero if it does not
	 */
	record Granted(long number, long validUntil, int reserved) implements AcquisitionOutcome {

		/**
		 * How many numbers an engine should reserve for a grant that lingers. Each one is
		 * enough for 64 holds.
		 */
		public static final int RESERVED = 31;

		/**
		 * Create the response to a claim whose grant does not linger.
		 * @param number grant number
		 * @param validUntil reading of the monotonic clock until which it is valid
		 */
		public Granted(long number, long validUntil) {
			this(number, validUntil, 0);
		}

	}

	/**
	 * The key has another owner, or other claims precede the claim in the queue. Nothing
	 * of a claim that does not wait remains in the store.
	 *
	 * @param retryIn maximum time until the next request, by a new claim if this one does
	 * not wait; a {@linkplain Signal signal} may arrive earlier
	 * @param recalled whether the grant of the owner lingers, so that the owner was
	 * notified and may release it at once. Used only for a claim that does not wait
	 */
	record Busy(Duration retryIn, boolean recalled) implements AcquisitionOutcome {

		/**
		 * Create the response for a key whose owner holds it.
		 * @param retryIn maximum time until the next request
		 */
		public Busy(Duration retryIn) {
			this(retryIn, false);
		}

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
