package io.leasehold.engine.etcd;

/**
 * Cluster that sent a response, and the term then. Two responses of one origin were sent
 * under the same leader, since a term has one at most. They may be of different members.
 */
record Origin(long cluster, long term) {

	static Origin of(JsonObject response) {
		JsonObject header = response.object("header");
		// An unsigned number of 64 bits
		return new Origin(Long.parseUnsignedLong(header.text("cluster_id")), header.number("raft_term"));
	}

}
