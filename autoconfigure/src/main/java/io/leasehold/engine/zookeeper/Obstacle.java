package io.leasehold.engine.zookeeper;

/**
 * What to watch as long as a claim waits: its node cannot hold the key before this node
 * has changed.
 *
 * @param path the node
 * @param sign what is to be heard of
 * @param last whether the claim most likely has the key after that, certainly one with
 * permits
 */
record Obstacle(String path, Sign sign, boolean last) {

	/**
	 * Changes of nodes.
	 */
	enum Sign {

		/** It goes. */
		REMOVAL,

		/** It is granted the key, which its owner writes, or goes. */
		GRANT,

		/** A child of it goes, or comes. */
		CHILDREN

	}

}
