package io.leasehold.engine.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * Grant as stored in Redis, {@code number:claim}. Messages have the form
 * {@code number:claim lock}, or {@code revoke number:claim} if the grant was revoked, or
 * {@code recall number:claim} if another process waits for the lock of a lingering grant.
 *
 * @param number grant number
 * @param claim {@linkplain ClaimName name} of the claim
 */
record Grant(long number, String claim) {

	private static final String REVOKE = "revoke ";

	private static final String RECALL = "recall ";

	private static final Pattern VALUE = Pattern.compile("(\\d{1,18}):(.*)");

	private static final Pattern MESSAGE = Pattern.compile("(\\d{1,18}:[^ ]*) (.*)", Pattern.DOTALL);

	/** Parse a lock's value; {@code null} if it was not written by Leasehold. */
	static @Nullable Grant parse(String value) {
		Matcher parts = VALUE.matcher(value);
		return parts.matches() ? new Grant(Long.parseLong(parts.group(1)), parts.group(2)) : null;
	}

	/** Parse a message about a revoked grant; {@code null} if it is none. */
	static @Nullable Grant parseRevocation(String text) {
		return text.startsWith(REVOKE) ? parse(text.substring(REVOKE.length())) : null;
	}

	/** Parse a message about a recalled grant; {@code null} if it is none. */
	static @Nullable Grant parseRecall(String text) {
		return text.startsWith(RECALL) ? parse(text.substring(RECALL.length())) : null;
	}

	/** Return the message that notifies the owner that another process wants the lock. */
	String recall() {
		return RECALL + this;
	}

	/** Return the message that notifies the holder that the grant was revoked. */
	String revocation() {
		return REVOKE + this;
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
