package io.leasehold.engine.zookeeper;

import io.leasehold.engine.Access;

/**
 * Name of a claim's node: what makes it unlike others, its access, and a number by which
 * the server orders the children of a container.
 *
 * @param text the whole name
 * @param sequence the server's number, which overflows: to be compared by difference
 * @param access how its owner goes together with others
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
			return Access.EXCLUSIVE; // of foreign make, and so to be on the safe side
		}
	}

	/** What the names of a claim's nodes have in common, and no other claim's. */
	static String mark(String claimId) {
		return claimId + SEPARATOR;
	}

	/** The beginning of a name, to be completed by the server. */
	static String begin(String claimId, Access access) {
		return mark(claimId) + access.code() + SEPARATOR;
	}

}
