package io.leasehold.engine.redlock;

import java.util.regex.Pattern;

import io.leasehold.LockKey;

/**
 * Names of a lock on a master. They contain no braces, as all names of the Redis engine
 * do, so that both engines may use a server.
 *
 * @param lock key of the lock's record
 * @param number key of the last grant number
 * @param ended key of the marker of an ended claim, without the claim token
 * @param forced key of the marker of a forced release
 */
record LockNames(String lock, String number, String ended, String forced) {

	/**
	 * Characters that would garble a terminal or occur in names of the Redis engine.
	 */
	private static final Pattern ESCAPED = Pattern.compile("[%{}\\x00-\\x1f\\x7f-\\x9f]");

	/** In a namespace also the separator, so that no two names are equal. */
	private static final Pattern ESCAPED_IN_NAMESPACE = Pattern.compile("[%{}:\\x00-\\x1f\\x7f-\\x9f]");

	static LockNames of(String namespace, LockKey key) {
		String prefix = prefix(namespace);
		String name = escape(key.value(), ESCAPED);
		return new LockNames(prefix + "lock:" + name, prefix + "number:" + name, prefix + "ended:",
				prefix + "forced:" + name);
	}

	/** Return the first part of all names of a namespace. */
	static String prefix(String namespace) {
		return "redlock:" + escape(namespace, ESCAPED_IN_NAMESPACE) + ":";
	}

	/** Return the channel on which masters publish that locks were released. */
	static String releases(String namespace) {
		return prefix(namespace) + "releases";
	}

	private static String escape(String text, Pattern escaped) {
		return escaped.matcher(text).replaceAll((found) -> "%%%02X".formatted((int) found.group().charAt(0)));
	}

	/** Return the keys of a claim's scripts, in their order. */
	String[] of(String claim) {
		return new String[] { this.lock, this.number, this.ended + claim };
	}

	/** Return the keys of the scripts that use the marker of a forced release. */
	String[] withForced(String claim) {
		return new String[] { this.lock, this.number, this.ended + claim, this.forced };
	}

}
