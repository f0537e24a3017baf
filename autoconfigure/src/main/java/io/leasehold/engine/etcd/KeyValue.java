package io.leasehold.engine.etcd;

/**
 * Key in the store.
 *
 * @param created revision that created it
 * @param written revision that wrote it last
 * @param lease id of its lease
 * @param value its value, empty if only the key was read
 */
record KeyValue(String key, long created, long written, long lease, String value) {

	static KeyValue of(Message kv) {
		return new KeyValue(kv.text(1), kv.number(2), kv.number(3), kv.number(6), kv.text(5));
	}

	/** Return the end of the range of all keys with a prefix, which ends with a slash. */
	static String rangeEnd(String prefix) {
		return prefix.substring(0, prefix.length() - 1) + (char) ('/' + 1);
	}

}
