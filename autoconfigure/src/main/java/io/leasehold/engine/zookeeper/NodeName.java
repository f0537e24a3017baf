package io.leasehold.engine.zookeeper;

import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import org.jspecify.annotations.Nullable;

/**
 * Name of a claim's node: the claim's unique id, its access, and a number by which the
 * server orders the children of a container.
 *
 * @param text the whole name
 * @param sequence the server's number, which overflows: compare it by difference
 * @param access access of the claim, which decides which nodes are compatible
 * @param lingers whether its grant lingers, unless the node was written since
 */
record NodeName(String text, int sequence, Access access, boolean lingers) {

	private static final char SEPARATOR = ':';

	private static final String LINGERS = "~";

	/** Parse a name; {@code null} if it has no number, so that it is not a claim's. */
	static @Nullable NodeName parse(String text) {
		int end = text.lastIndexOf(SEPARATOR);
		try {
			return (end > 0) ? of(text, end) : null;
		}
		catch (NumberFormatException ex) {
			return null; // not written by Leasehold
		}
	}

	private static NodeName of(String text, int end) {
		int begin = text.lastIndexOf(SEPARATOR, end - 1);
		boolean lingers = text.startsWith(LINGERS, end - 1);
		return new NodeName(text, Integer.parseInt(text.substring(end + 1)),
				access(text.substring(begin + 1, lingers ? end - 1 : end)), lingers);
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
	static String begin(String claimId, Claim claim) {
		return mark(claimId) + claim.access().code() + (claim.lingers() ? LINGERS : "") + SEPARATOR;
	}

}
