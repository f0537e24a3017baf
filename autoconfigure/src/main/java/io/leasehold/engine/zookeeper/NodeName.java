package io.leasehold.engine.zookeeper;

import io.leasehold.engine.Access;

/**
 * Name of a claim's node: the claim's unique id, its access, and a number by which the
 * server orders the children of a container.
 *
 * @param text the whole name
 * @param sequence the server's number, which overflows: compare it by difference
 * @param access access of the claim, which decides which nodes are compatible
 */
record NodeName(String text, int sequence, Access access) {

	private static final char SEPARATOR = ':';

	static NodeName of(String text) {
		int end = text.lastIndexOf(SEPARATOR);
		int begin = text.lastIndexOf(SEPARATOR, end - 1);
		return new NodeName(text, Integer.parseInt(text.substring(end + 1)), access(text.substring(begin + 1, end)));
	}

	private static Access access(String code) {
		try {
			return Access.parse(code);
		}
		catch (IllegalArgumentException ex) {
			return Access.EXCLUSIVE; // not written by Leasehold: assume the strictest
		}
	}

	/** Return the beginning of the names of a claim's nodes, unique to the claim. */
	static String mark(String claimId) {
		return claimId + SEPARATOR;
	}

	/** Return the beginning of a name, which the server completes. */
	static String begin(String claimId, Access access) {
		return mark(claimId) + access.code() + SEPARATOR;
	}

}
