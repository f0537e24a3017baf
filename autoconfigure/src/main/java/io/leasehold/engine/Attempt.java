package io.leasehold.engine;

import java.time.Duration;

/**
 * The store's answer to a claim.
 */
public sealed interface Attempt {

	/**
	 * The key belongs to the claim's owner, alone or with others of the same access.
	 *
	 * @param number number of the grant, greater than those of all earlier grants of the
	 * key, positive and below 2^57
	 * @param validUntil reading of the monotonic clock until when the grant may be
	 * believed in, computed from before the request was sent
	 */
	record Granted(long number, long validUntil) implements Attempt {
	}

	/**
	 * The key has another owner, or others are before the claim.
	 *
	 * @param retryIn when to ask again at the latest; a {@linkplain Signal signal} may
	 * come earlier
	 */
	record Busy(Duration retryIn) implements Attempt {
	}

	/**
	 * The key is held with another number of permits. Nothing of the claim is left in the
	 * store.
	 *
	 * @param held the access of those who hold the key
	 */
	record Contradicted(Access held) implements Attempt {
	}

}
