package io.leasehold.engine.zookeeper;

import org.apache.zookeeper.data.Stat;

/**
 * Node of a claim as it was created.
 *
 * @param path the path
 * @param number the transaction that created it: the grant's number
 * @param session the session whose end removes it
 */
record LockNode(String path, long number, long session) {

	static LockNode of(String path, Stat stat) {
		return new LockNode(path, stat.getCzxid(), stat.getEphemeralOwner());
	}

	String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

}
