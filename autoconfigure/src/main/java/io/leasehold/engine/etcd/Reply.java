package io.leasehold.engine.etcd;

import java.util.List;

/**
 * Response to a transaction.
 *
 * @param succeeded whether its comparisons were true
 * @param revision the store's revision at that moment
 * @param responses the responses of its operations
 */
record Reply(Origin origin, boolean succeeded, long revision, List<JsonObject> responses) {

	static Reply of(JsonObject response) {
		return new Reply(Origin.of(response), response.flag("succeeded"), response.object("header").number("revision"),
				response.objects("responses"));
	}

	/** Return the keys that an operation has read. */
	List<KeyValue> keys(int operation) {
		return keysOf(this.responses.get(operation).object("response_range"));
	}

	static List<KeyValue> keysOf(JsonObject range) {
		return range.objects("kvs").stream().map(KeyValue::of).toList();
	}

	/** Return whether an operation has removed a key. */
	boolean removed(int operation) {
		return this.responses.get(operation).object("response_delete_range").number("deleted") > 0;
	}

}
