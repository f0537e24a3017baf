package io.leasehold.engine.etcd;

import io.leasehold.engine.Access;

/**
 * Last part of a claim's key: the claim's unique id and its access.
 *
 * @param key the whole key
 * @param access access of the claim, which decides which claims are compatible
 */
record ClaimName(String key, Access access) {

	private static final char SEPARATOR = ':';

	static ClaimName of(String key) {
		return new ClaimName(key, access(key.substring(key.lastIndexOf(SEPARATOR) + 1)));
	}

	private static Access access(String code) {
		try {
			return Access.parse(code);
		}
		catch (IllegalArgumentException ex) {
			return Access.EXCLUSIVE; // not written by Leasehold: assume the strictest
		}
	}

	/** Return the last part of a key. */
	static String text(String claimId, Access access) {
		return claimId + SEPARATOR + access.code();
	}

}
