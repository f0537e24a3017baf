package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;

/**
 * Name of a claim in the store: the claim token, and {@code #access,minHold,lockDelay} in
 * milliseconds unless the claim is exclusive and has neither duration. A client that ends
 * a grant, also for an operator, reads the durations from it.
 */
final class ClaimName {

	/**
	 * Name of a place that a minimum hold keeps: grant number without claim token.
	 */
	private static final Pattern OWNERLESS = Pattern.compile("#\\w+,\\d+");

	private static final Pattern LOCK_DELAY = Pattern.compile(".*#\\w+,\\d+,(\\d{1,15})");

	private ClaimName() {
	}

	static String of(Claim claim) {
		String token = claim.owner().token();
		if (claim.access().equals(Access.EXCLUSIVE) && claim.minHold().isZero() && claim.lockDelay().isZero()) {
			return token;
		}
		return "%s#%s,%s,%s".formatted(token, claim.access().code(), claim.minHold().toMillis(),
				claim.lockDelay().toMillis());
	}

	/** Return the id of the member that made a claim with an owner. */
	static String memberId(String name) {
		return name.substring(0, Math.max(0, name.indexOf('/')));
	}

	/** Return whether a name is that of an exclusive claim without durations. */
	static boolean isPlain(String name) {
		return name.indexOf('#') < 0;
	}

	static boolean isOwnerless(String name) {
		return OWNERLESS.matcher(name).matches();
	}

	/** Return how long the store keeps a grant of this claim after its lease. */
	static Duration lockDelay(String name) {
		Matcher parts = LOCK_DELAY.matcher(name);
		return parts.matches() ? Duration.ofMillis(Long.parseLong(parts.group(1))) : Duration.ZERO;
	}

}
