package io.leasehold.engine.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;

/**
 * Names in the store. All keys of one lock have the same hash tag, so they share a slot.
 *
 * @param lock key of an exclusive grant, such as <code>leasehold:{order:42}</code>
 */
record RedisKeys(String lock) {

	static RedisKeys of(String namespace, LockKey key) {
		return new RedisKeys(escape(namespace) + ":{" + escape(key.value()) + "}");
	}

	/** Prefix of the channels on which members hear of their grants. */
	static String inboxPrefix(String namespace) {
		return escape(namespace) + ":inbox:";
	}

	String fence() {
		return this.lock + ":fence";
	}

	String queue() {
		return this.lock + ":queue";
	}

	/** Claims that hold the lock beside each other, by the end of their grants. */
	String holders() {
		return this.lock + ":holders";
	}

	/** Numbers of their grants. */
	String fences() {
		return this.lock + ":fences";
	}

	/** The keys of a claim's scripts, in their order. */
	String[] of(String claim) {
		return new String[] { this.lock, fence(), queue(), this.lock + ":gone:" + claim, holders(), fences() };
	}

	/** The keys of a grant that is to be renewed. */
	List<String> ofGrant(Access access) {
		return access.equals(Access.EXCLUSIVE) ? List.of(this.lock) : List.of(holders(), fences());
	}

	/**
	 * Replace what would end the hash tag or garble a terminal by its percent code.
	 * Different texts stay different.
	 */
	private static String escape(String text) {
		for (int i = 0; i < text.length(); i++) {
			if (isEscaped(text.charAt(i))) {
				return escaped(text);
			}
		}
		return text;
	}

	private static boolean isEscaped(char c) {
		return c == '%' || c == '{' || c == '}' || Character.isISOControl(c);
	}

	private static String escaped(String text) {
		StringBuilder result = new StringBuilder(text.length());
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (!isEscaped(c)) {
				result.append(c);
				continue;
			}
			for (byte octet : String.valueOf(c).getBytes(StandardCharsets.UTF_8)) {
				result.append("%%%02X".formatted(octet));
			}
		}
		return result.toString();
	}

}
