package io.leasehold.engine.etcd;

import java.util.List;

/**
 * Response to a transaction.
 *
 * @param succeeded whether its comparisons were true
 * @param revision the store's revision at that moment
 * @param responses the responses of its operations
 */
record Reply(Origin origin, boolean succeeded, long revision, List<Message> responses) {

	static Reply of(Message response) {
		return new Reply(Origin.of(response), response.flag(2), revision(response), response.all(3));
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
