package io.leasehold.engine.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Grant as stored in Redis, {@code fence:claim}. Messages have the form
 * {@code fence:claim lock}.
 *
 * @param number grant number
 * @param claim {@linkplain ClaimName name} of the claim
 */
record Grant(long number, String claim) {

	private static final Pattern VALUE = Pattern.compile("(\\d{1,18}):(.*)");

	private static final Pattern MESSAGE = Pattern.compile("(\\d{1,18}:[^ ]*) (.*)", Pattern.DOTALL);

	/** Parse a lock's value; {@code null} if it was not written by Leasehold. */
	static @Nullable Grant parse(String value) {
		Matcher parts = VALUE.matcher(value);
		return parts.matches() ? new Grant(Long.parseLong(parts.group(1)), parts.group(2)) : null;
	}

	/** Parse a message; {@code null} if it was not written by Leasehold. */
	static @Nullable Message parseMessage(String text) {
		Matcher parts = MESSAGE.matcher(text);
		Grant grant = parts.matches() ? parse(parts.group(1)) : null;
		return (grant != null) ? new Message(grant, new RedisKeys(parts.group(2))) : null;
	}

	@Override
	public String toString() {
		return this.number + ":" + this.claim;
	}

	/**
	 * Message that notifies a member of a grant.
	 *
	 * @param keys keys of the granted lock
	 */
	record Message(Grant grant, RedisKeys keys) {
	}

}
