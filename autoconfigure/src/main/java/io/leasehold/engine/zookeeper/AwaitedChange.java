package io.leasehold.engine.zookeeper;

/**
 * Change that a waiting claim watches: its node cannot hold the key before this change.
 *
 * @param path the watched node
 * @param kind the kind of change
 * @param last whether the claim most likely holds the key after the change; certain for
 * permits
 */
record AwaitedChange(String path, Kind kind, boolean last) {

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

}
