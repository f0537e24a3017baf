package io.leasehold.engine.etcd;

import java.util.List;

/**
 * Parts of transactions.
 */
final class Operation {

	private Operation() {
	}

	static JsonObject get(String key, boolean keysOnly) {
		return range(key).with("keys_only", keysOnly);
	}

	/** Read all keys with a prefix, in the order of their creation. */
	static JsonObject list(String prefix) {
		return range(prefix).with("range_end", KeyValue.encode(KeyValue.rangeEnd(prefix)))
			.with("sort_target", "CREATE")
			.with("sort_order", "ASCEND");
	}

	/** Read at most the two latest keys with a prefix, the latest one first. */
	static JsonObject latest(String prefix) {
		return list(prefix).with("sort_order", "DESCEND").with("limit", 2).with("keys_only", true);
	}

	private static JsonObject range(String key) {
		return JsonObject.of("key", KeyValue.encode(key));
	}

	static JsonObject put(String key, String value, long lease) {
		return JsonObject.of("request_put", range(key).with("value", KeyValue.encode(value)).with("lease", lease));
	}

	/** Write a key's value, on its present lease. */
	static JsonObject write(String key, String value) {
		return JsonObject.of("request_put",
				range(key).with("value", KeyValue.encode(value)).with("ignore_lease", true));
	}

	/** Attach a key to another lease. */
	static JsonObject attach(String key, long lease) {
		return JsonObject.of("request_put", range(key).with("lease", lease).with("ignore_value", true));
	}

	static JsonObject read(JsonObject range) {
		return JsonObject.of("request_range", range);
	}

	static JsonObject remove(String key) {
		return JsonObject.of("request_delete_range", range(key));
	}

	/** Compare the revision that created a key; zero for a key that does not exist. */
	static JsonObject isCreated(String key, long revision) {
		return compare(key, "CREATE", "EQUAL").with("create_revision", revision);
	}

	/** Compare with no key of a prefix. */
	static JsonObject isEmpty(String prefix) {
		return isCreated(prefix, 0).with("range_end", KeyValue.encode(KeyValue.rangeEnd(prefix)));
	}

	static JsonObject isOn(String key, long lease) {
		return compare(key, "LEASE", "EQUAL").with("lease", lease);
	}

	/** Compare with a key that exists, and was not closed. */
	static JsonObject isOpen(String key) {
		return compare(key, "VALUE", "NOT_EQUAL").with("value", KeyValue.encode(ClaimValue.CLOSED));
	}

	private static JsonObject compare(String key, String target, String result) {
		return range(key).with("target", target).with("result", result);
	}

	static JsonObject transaction(List<JsonObject> compare, List<JsonObject> success, List<JsonObject> failure) {
		return JsonObject.of("compare", compare).with("success", success).with("failure", failure);
	}

}
