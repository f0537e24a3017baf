package io.leasehold.engine.etcd;

/**
 * Member that sent a response, and its term then. Two responses of one origin were sent
 * under the same leader.
 */
record Origin(long member, long term) {

	static Origin of(JsonObject response) {
		JsonObject header = response.object("header");
		// An unsigned number of 64 bits
		return new Origin(Long.parseUnsignedLong(header.text("member_id")), header.number("raft_term"));
	}

}
