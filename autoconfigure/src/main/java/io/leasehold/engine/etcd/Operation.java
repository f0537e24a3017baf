package io.leasehold.engine.etcd;

import java.util.List;

/**
 * Parts of transactions. The numbers of the fields are those of etcd's {@code rpc.proto}.
 */
final class Operation {

	private static final int KEY = 1;

	private static final int RANGE_END = 2;

	private static final int LIMIT = 3;

	private static final int SORT_ORDER = 5;

	private static final int ASCENDING = 1;

	private static final int DESCENDING = 2;

	private static final int SORT_TARGET = 6;

	private static final int CREATION = 2;

	private static final int KEYS_ONLY = 8;

	private static final int MAX_CREATED = 13;

	private static final int PUT_VALUE = 2;

	private static final int PUT_LEASE = 3;

	private static final int PUT_IGNORES_VALUE = 5;

	private static final int PUT_IGNORES_LEASE = 6;

	private static final int COMPARE_RESULT = 1;

	private static final int GREATER = 1;

	private static final int COMPARE_TARGET = 2;

	private static final int OF_CREATION = 1;

	private static final int OF_WRITE = 2;

	private static final int OF_VALUE = 3;

	private static final int OF_LEASE = 4;

	private static final int COMPARE_KEY = 3;

	private static final int COMPARE_CREATION = 5;

	private static final int COMPARE_WRITE = 6;

	private static final int COMPARE_VALUE = 7;

	private static final int COMPARE_LEASE = 8;

	private static final int COMPARE_RANGE_END = 64;

	private Operation() {
	}

	static Message get(String key, boolean keysOnly) {
		return Message.of(KEY, key).with(KEYS_ONLY, keysOnly);
	}

	/** Read all keys with a prefix, in the order of their creation. */
	static Message list(String prefix) {
		return range(prefix, ASCENDING);
	}

	/** Read the key with a prefix that was created first. */
	static Message first(String prefix) {
		return list(prefix).with(LIMIT, 1);
	}

	/** Read the names of all keys with a prefix, in the order of their creation. */
	static Message names(String prefix) {
		return range(prefix, ASCENDING).with(KEYS_ONLY, true);
	}

	/** Read at most the two latest names with a prefix, the latest one first. */
	static Message latest(String prefix) {
		return range(prefix, DESCENDING).with(LIMIT, 2).with(KEYS_ONLY, true);
	}

	/** Read some keys of a range, in the order of their names. */
	static Message page(String begin, String end, int limit) {
		return Message.of(KEY, begin).with(RANGE_END, end).with(LIMIT, limit);
	}

	/** Omit keys that were created after a revision. */
	static Message upTo(Message range, long created) {
		return range.with(MAX_CREATED, created);
	}

	private static Message range(String prefix, int order) {
		return Message.of(KEY, prefix)
			.with(RANGE_END, KeyValue.rangeEnd(prefix))
			.with(SORT_TARGET, CREATION)
			.with(SORT_ORDER, order);
	}

	static Message read(Message range) {
		return Message.of(1, range);
	}

	static Message put(String key, String value, long lease) {
		return Message.of(2, Message.of(KEY, key).with(PUT_VALUE, value).with(PUT_LEASE, lease));
	}

	/** Write a key's value, on its present lease. */
	static Message write(String key, String value) {
		return Message.of(2, Message.of(KEY, key).with(PUT_VALUE, value).with(PUT_IGNORES_LEASE, true));
	}

	/** Attach a key to a lease, and keep its value. */
	static Message attach(String key, long lease) {
		return Message.of(2, Message.of(KEY, key).with(PUT_LEASE, lease).with(PUT_IGNORES_VALUE, true));
	}

	static Message remove(String key) {
		return Message.of(3, Message.of(KEY, key));
	}

	/** Compare the revision that created a key; zero for a key that does not exist. */
	static Message isCreated(String key, long revision) {
		return compare(key, OF_CREATION).with(COMPARE_CREATION, revision);
	}

	/** Compare the revision that wrote a key last. */
	static Message isWritten(String key, long revision) {
		return compare(key, OF_WRITE).with(COMPARE_WRITE, revision);
	}

	/** Compare with no key of a prefix. */
	static Message isEmpty(String prefix) {
		return isCreated(prefix, 0).with(COMPARE_RANGE_END, KeyValue.rangeEnd(prefix));
	}

	static Message isOn(String key, long lease) {
		return compare(key, OF_LEASE).with(COMPARE_LEASE, lease);
	}

	/** Compare with a key that exists, and was not closed. */
	static Message isOpen(String key) {
		return compare(key, OF_VALUE).with(COMPARE_RESULT, GREATER).with(COMPARE_VALUE, ClaimValue.LEAST_OPEN);
	}

	/** Compare with a key that exists, and that no owner but that of its claim keeps. */
	static Message isOwn(String key) {
		return compare(key, OF_VALUE).with(COMPARE_RESULT, GREATER).with(COMPARE_VALUE, ClaimValue.LEAST_OWN);
	}

	private static Message compare(String key, int target) {
		return Message.of(COMPARE_KEY, key).with(COMPARE_TARGET, target);
	}

	static Message transaction(List<Message> compare, List<Message> success, List<Message> failure) {
		return new Message().with(1, compare).with(2, success).with(3, failure);
	}

}
