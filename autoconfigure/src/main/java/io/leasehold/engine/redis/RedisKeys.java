package io.leasehold.engine.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.support.KeyNames;
import org.jspecify.annotations.Nullable;

/**
 * Names of a lock in the store. All its keys have the same hash tag and share a slot.
 *
 * @param lock key of an exclusive grant, such as <code>leasehold:2:{order:42}</code>
 */
record RedisKeys(String lock) {

	/** Part of all keys, so that versions with another layout never share them. */
	private static final String LAYOUT = ":2:";

	private static final String HOLDERS = ":holders";

	static RedisKeys of(String namespace, LockKey key) {
		return new RedisKeys(escape(namespace) + LAYOUT + "{" + escape(key.value()) + "}");
	}

	/**
	 * Return a pattern of Redis for the keys of grants, if the names of their locks begin
	 * with a prefix. It also matches other keys, but not those that outlive the grants.
	 */
	static String pattern(String namespace, String prefix) {
		String begin = escape(namespace) + LAYOUT + "{" + escape(prefix);
		return begin.replaceAll("[\\\\*?\\[\\]]", "\\\\$0") + "*[}s]";
	}

	/** Return the lock of a key of grants, or {@code null} for another key. */
	static @Nullable RedisKeys parse(String name) {
		String lock = name.endsWith(HOLDERS) ? name.substring(0, name.length() - HOLDERS.length()) : name;
		return lock.endsWith("}") ? new RedisKeys(lock) : null;
	}

	/** Return the key of the lock, or {@code null} if it was not written by Leasehold. */
	@Nullable LockKey key() {
		return KeyNames.parse(this.lock.substring(this.lock.indexOf('{') + 1, this.lock.length() - 1),
				StandardCharsets.UTF_8);
	}

	/** Return the prefix of the channels on which members are notified of grants. */
	static String inboxPrefix(String namespace) {
		return escape(namespace) + ":inbox:";
	}

	/** Return the key of the greatest grant number. */
	String number() {
		return this.lock + ":fence";
	}

	String queue() {
		return this.lock + ":queue";
	}

	/** Return the key of the concurrent holders, ordered by the end of their grants. */
	String holders() {
		return this.lock + HOLDERS;
	}

	/** Return the key of the holders' grant numbers. */
	String numbers() {
		return this.lock + ":fences";
	}

	/** Return the key of the give-up markers, ordered by their ends. */
	String gone() {
		return this.lock + ":gone";
	}

	/** Return all keys, in the order of the scripts. */
	String[] all() {
		return new String[] { this.lock, number(), queue(), gone(), holders(), numbers() };
	}

	/** Return the keys for a free lock, in the order of the script. */
	String[] ofFree() {
		return new String[] { this.lock, number() };
	}

	/** Return the key of an exclusive grant. */
	String[] ofExclusive() {
		return new String[] { this.lock };
	}

	/** Return the keys for the renewal of a grant. */
	List<String> ofGrant(Access access) {
		return access.equals(Access.EXCLUSIVE) ? List.of(this.lock) : List.of(holders(), numbers(), number());
	}

	/**
	 * Replace characters that would end the hash tag or garble a terminal by percent
	 * codes. Different texts remain different.
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
