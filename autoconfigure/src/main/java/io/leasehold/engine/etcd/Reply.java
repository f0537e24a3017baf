package io.leasehold.engine.etcd;

import java.util.List;

/**
 * Response to a transaction.
 *
 * @param header the cluster, its revision and its term at that moment
 * @param succeeded whether its comparisons were true
 * @param responses the responses of its operations
 */
record Reply(Message header, boolean succeeded, List<Message> responses) {

	static Reply of(Message response) {
		return new Reply(response.message(1), response.flag(2), response.all(3));
	}

	/**
	 * Return whether another response was sent by the same cluster in the same term, and
	 * thus under the same leader. They may be of different members.
	 */
	boolean isUnderTheLeaderOf(Message response) {
		Message other = response.message(1);
		return other.number(1) == this.header.number(1) && other.number(4) == this.header.number(4);
	}

	/** Return the store's revision. */
	long revision() {
		return this.header.number(3);
	}

	/** Return the store's revision from the header of a response. */
	static long revision(Message response) {
		return response.message(1).number(3);
	}

	/** Return the keys that an operation has read. */
	List<KeyValue> keys(int operation) {
		return keysOf(this.responses.get(operation).message(1));
	}

	static List<KeyValue> keysOf(Message range) {
		return range.all(2).stream().map(KeyValue::of).toList();
	}

	/** Return whether a limit has cut a range. */
	static boolean hasMore(Message range) {
		return range.flag(3);
	}

}
