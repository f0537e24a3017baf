package io.leasehold.engine.zookeeper;

import org.apache.zookeeper.data.Stat;

/**
 * Node of a claim as it was created.
 *
 * @param number id of the transaction that created it, which is the grant number
 * @param session session that requested its creation; if it is still the present one, its
 * end removes the node
 * @param alone whether it was the only node of its key at that time
 */
record LockNode(String path, long number, long session, boolean alone) {

	String name() {
		return this.path.substring(this.path.lastIndexOf('/') + 1);
	}

	/** Return whether a node at its path is this node. */
	boolean is(Stat other) {
		return other.getCzxid() == this.number && other.getEphemeralOwner() == this.session;
	}

}
