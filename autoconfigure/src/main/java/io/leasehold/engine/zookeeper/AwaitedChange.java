package io.leasehold.engine.zookeeper;

/**
 * Change that a waiting claim watches: its node cannot hold the key before this change.
 *
 * @param path the watched node
 * @param kind the kind of change
 * @param effect whether the claim holds the key after the change
 */
record AwaitedChange(String path, Kind kind, Effect effect) {

	/**
	 * Kind of change.
	 */
	enum Kind {

		/** The node is removed. */
		REMOVAL,

		/** The node is granted the key, which its owner writes to it, or is removed. */
		GRANT,

		/** A child of the node is created or removed. */
		CHILDREN

	}

	/**
	 * Whether the claim holds the key after a change.
	 */
	enum Effect {

		/** Other nodes before it may remain. */
		UNKNOWN,

		/** Nodes before the removed one were most likely removed earlier. */
		LIKELY,

		/** All nodes before it that it has to wait for were removed. */
		CERTAIN

	}

}
