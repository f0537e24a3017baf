package io.leasehold.engine.etcd;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;

/**
 * Names of the engine's keys in etcd. All of them begin with the namespace.
 */
final class EtcdKeys {

	private static final char SEPARATOR = ':';

	private final String root;

	EtcdKeys(String namespace) {
		this.root = escape(namespace) + "/";
	}

	/** Return the beginning of the keys of all claims. */
	String claims() {
		return this.root + "locks/";
	}

	/** Return the beginning of the keys of the claims on a lock. */
	String claims(LockKey key) {
		return claims() + escape(key.value()) + "/";
	}

	/**
	 * Return the key of a claim.
	 * @param claims beginning of the keys of the claims on its lock
	 */
	static String claim(String claims, String id, Access access) {
		return claims + id + SEPARATOR + access.code();
	}

	/** Return the access of a claim, which is part of its key. */
	static Access access(String claim) {
		try {
			return Access.parse(claim.substring(claim.lastIndexOf(SEPARATOR) + 1));
		}
		catch (IllegalArgumentException ex) {
			return Access.EXCLUSIVE; // not written by Leasehold: assume the strictest
		}
	}

	/** Return the beginning of the keys of all sessions. */
	String sessions() {
		return this.root + "sessions/";
	}

	/** Return the key that exists for as long as a session. */
	String session(long lease) {
		return sessions() + Long.toHexString(lease);
	}

	/**
	 * Replace slashes, percent signs and control characters by percent codes, so that
	 * different texts remain different and none contains a slash.
	 */
	static String escape(String text) {
		StringBuilder result = new StringBuilder(text.length());
		text.codePoints().forEach((c) -> {
			if (Character.getType(c) == Character.SURROGATE) {
				// Half of a pair, which UTF-8 cannot encode
				result.append("%%u%04X".formatted(c));
			}
			else if (c == '/' || c == '%' || Character.isISOControl(c)) {
				result.append("%%%02X".formatted(c));
			}
			else {
				result.appendCodePoint(c);
			}
		});
		return result.toString();
	}

}
