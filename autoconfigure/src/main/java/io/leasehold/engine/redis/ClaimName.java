package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;

/**
 * What the store knows a claim by: its owner's token, and behind that what it asks for,
 * if that is more than the key alone: {@code #access,minHold,lockDelay} in milliseconds.
 * So whoever ends a grant, an operator too, finds in the store what is to be kept.
 */
final class ClaimName {

	/**
	 * A place that a min hold keeps closed has no owner, only the number of its grant.
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
		return "%s#%s,%d,%d".formatted(token, claim.access().code(), claim.minHold().toMillis(),
				claim.lockDelay().toMillis());
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
