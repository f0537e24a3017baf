package io.leasehold.engine.etcd;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Key in the store.
 *
 * @param created revision that created it
 * @param lease id of its lease
 * @param value its value, empty if only the key was read
 */
record KeyValue(String key, long created, long lease, String value) {

	static KeyValue of(JsonObject kv) {
		return new KeyValue(decode(kv.text("key")), kv.number("create_revision"), kv.number("lease"),
				decode(kv.text("value")));
	}

	static String encode(String text) {
		return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
	}

	static String decode(String code) {
		return new String(Base64.getDecoder().decode(code), StandardCharsets.UTF_8);
	}

	/** Return the end of the range of all keys with a prefix, which ends with a slash. */
	static String rangeEnd(String prefix) {
		return prefix.substring(0, prefix.length() - 1) + (char) ('/' + 1);
	}

}
