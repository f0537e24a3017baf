package io.leasehold.engine.etcd;

import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Requests of the engine. Each may be executed more than once, because a request without
 * a response is repeated at another member. Reads are linearizable. Thread-safe.
 */
final class Store {

	private static final String TRANSACTION = "/v3/kv/txn";

	private final Gateway gateway;

	private final Members members;

	Store(Gateway gateway, Members members) {
		this.gateway = gateway;
		this.members = members;
	}

	Members members() {
		return this.members;
	}

	Reply transact(List<JsonObject> compare, List<JsonObject> success, List<JsonObject> failure, long deadline)
			throws EtcdException, TimeoutException {
		JsonObject body = Operation.transaction(compare, success, failure);
		return this.members.run((member) -> Reply.of(this.gateway.post(member, TRANSACTION, body, deadline)), deadline);
	}

	/** Run a transaction at one member, and once at most. */
	Reply transactAt(URI member, List<JsonObject> operations, long deadline) throws EtcdException, TimeoutException {
		return Reply.of(this.gateway.post(member, TRANSACTION, Operation.transaction(List.of(), operations, List.of()),
				deadline));
	}

	List<KeyValue> list(JsonObject range, long deadline) throws EtcdException, TimeoutException {
		return Reply.keysOf(post("/v3/kv/range", range, deadline));
	}

	/** Return the revision of a list, and its keys. */
	JsonObject range(JsonObject range, long deadline) throws EtcdException, TimeoutException {
		return post("/v3/kv/range", range, deadline);
	}

	/** Create a lease of whole seconds; the store may make it longer. */
	JsonObject grant(long seconds, long deadline) throws EtcdException, TimeoutException {
		return post("/v3/lease/grant", JsonObject.of("TTL", seconds), deadline);
	}

	/**
	 * Keep leases alive, concurrently. Return the responses in the same order; one has no
	 * {@code TTL} if the lease does not exist.
	 */
	List<JsonObject> keepAlive(URI member, List<Long> leases, long deadline) throws EtcdException, TimeoutException {
		return this.gateway.postAll(member, "/v3/lease/keepalive",
				leases.stream().map((lease) -> JsonObject.of("ID", lease)).toList(), deadline);
	}

	/** Return the keys on a lease. This read is not linearizable. */
	List<String> keysOn(long lease, long deadline) throws EtcdException, TimeoutException {
		return post("/v3/lease/timetolive", JsonObject.of("ID", lease).with("keys", true), deadline).texts("keys")
			.stream()
			.map(KeyValue::decode)
			.toList();
	}

	/** End a lease, and remove its keys. */
	void revoke(long lease, long deadline) throws EtcdException, TimeoutException {
		post("/v3/lease/revoke", JsonObject.of("ID", lease), deadline);
	}

	private JsonObject post(String path, JsonObject body, long deadline) throws EtcdException, TimeoutException {
		return this.members.run((member) -> this.gateway.post(member, path, body, deadline), deadline);
	}

	/**
	 * Watch the removal of keys at one member.
	 * @param rangeEnd end of the range, or {@code null} for a single key
	 * @param after revision after which removals are reported
	 */
	Stream watch(URI member, String key, @Nullable String rangeEnd, long after,
			BiConsumer<@Nullable JsonObject, @Nullable Throwable> messages) {
		JsonObject create = JsonObject.of("key", KeyValue.encode(key))
			.with("start_revision", after + 1)
			.with("filters", List.of("NOPUT"));
		if (rangeEnd != null) {
			create.with("range_end", KeyValue.encode(rangeEnd));
		}
		return this.gateway.watch(member, create, messages);
	}

}
