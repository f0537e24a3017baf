package io.leasehold.engine.etcd;

/**
 * Cluster that sent a response, and the term then. Two responses of one origin were sent
 * under the same leader, since a term has one at most. They may be of different members.
 */
record Origin(long cluster, long term) {

	static Origin of(Message response) {
		Message header = response.message(1);
		return new Origin(header.number(1), header.number(4));
	}

}
