package io.leasehold.engine.zookeeper;

import java.util.Collection;

import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Node of a claim as it was created. Its name ends with a number by which the server
 * orders the children of a container.
 *
 * @param path the path
 * @param number the transaction that created it: the grant's number
 * @param session the session whose end removes it
 */
record LockNode(String path, long number, long session) {

	private static final char BEFORE_SEQUENCE = ':';

	static LockNode of(String path, Stat stat) {
		return new LockNode(path, stat.getCzxid(), stat.getEphemeralOwner());
	}

	/** Beginning of the names that a claim's nodes have. */
	static String prefix(String claimId) {
		return claimId + BEFORE_SEQUENCE;
	}

	String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

	/** The nearest node before this one, or {@code null} if it is the lowest. */
	@Nullable String predecessor(Collection<String> names) {
		int own = sequence(name());
		String nearest = null;
		for (String name : names) {
			if (sequence(name) - own < 0 && (nearest == null || sequence(name) - sequence(nearest) > 0)) {
				nearest = name;
			}
		}
		return nearest;
	}

	/** The node that owns the key, or {@code null} if there is none. */
	static @Nullable String lowest(Collection<String> names) {
		String lowest = null;
		for (String name : names) {
			if (lowest == null || sequence(name) - sequence(lowest) < 0) {
				lowest = name;
			}
		}
		return lowest;
	}

	/** The server's counter overflows: to be compared by difference. */
	private static int sequence(String name) {
		return Integer.parseInt(name.substring(name.lastIndexOf(BEFORE_SEQUENCE) + 1));
	}

}
