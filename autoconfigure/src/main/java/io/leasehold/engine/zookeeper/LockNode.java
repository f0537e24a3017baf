package io.leasehold.engine.zookeeper;

import org.apache.zookeeper.data.Stat;

/**
 * Node of a claim as it was created.
 *
 * @param path the path
 * @param number the transaction that created it: the grant's number
 * @param session the session in which its creation was asked for: if that is still the
 * present one, its end removes the node
 * @param alone whether it was the only node of its key then
 */
record LockNode(String path, long number, long session, boolean alone) {

	String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

	/** Whether a node of its path is this one. */
	boolean is(Stat other) {
		return other.getCzxid() == this.number && other.getEphemeralOwner() == this.session;
	}

}
