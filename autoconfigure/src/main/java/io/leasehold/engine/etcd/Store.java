package io.leasehold.engine.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.List;

import io.grpc.ClientCall;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Requests of the engine. Each may be executed more than once, because a request without
 * a response is repeated at another member. Reads are linearizable. Thread-safe.
 */
record Store(EtcdClient client, Members members) implements AutoCloseable {

	Reply transact(List<Message> compare, List<Message> success, List<Message> failure, long deadline)
			throws EtcdException {
		Message body = Operation.transaction(compare, success, failure);
		return this.members.run((member) -> Reply.of(this.client.send(member, Rpc.TXN, body, deadline)), deadline);
	}

	/** Run a transaction at one member, and once at most. */
	Reply transactAt(URI member, List<Message> operations, long deadline) throws EtcdException {
		return Reply
			.of(this.client.send(member, Rpc.TXN, Operation.transaction(List.of(), operations, List.of()), deadline));
	}

	List<KeyValue> list(Message range, long deadline) throws EtcdException {
		return Reply.keysOf(send(Rpc.RANGE, range, deadline));
	}

	/** Return the revision of a list, and its keys. */
	Message range(Message range, long deadline) throws EtcdException {
		return send(Rpc.RANGE, range, deadline);
	}

	/** Create a lease of whole seconds; the store may make it longer. */
	Message grant(long seconds, long deadline) throws EtcdException {
		return send(Rpc.GRANT, Message.of(1, seconds), deadline);
	}

	/**
	 * Create a lease of whole seconds. It is the same one if the request is repeated at
	 * another member.
	 * @param id an id that no other lease has
	 */
	Message grant(long id, long seconds, long deadline) throws EtcdException {
		int failures = this.members.failures();
		try {
			return send(Rpc.GRANT, Message.of(1, seconds).with(2, id), deadline);
		}
		catch (EtcdException ex) {
			if (failures == this.members.failures() || !ex.is(Status.Code.FAILED_PRECONDITION)) {
				throw ex;
			}
			return Message.of(2, id).with(3, seconds); // the first request created it
		}
	}

	/**
	 * Keep leases alive, concurrently. Return the responses in the same order; one has no
	 * {@code TTL} if the lease does not exist.
	 */
	List<Message> keepAlive(URI member, List<Long> leases, long deadline) throws EtcdException {
		return this.client.sendAll(member, Rpc.KEEP_ALIVE,
				leases.stream().map((lease) -> Message.of(1, lease)).toList(), deadline);
	}

	/** Return the keys on a lease. This read is not linearizable. */
	List<String> keysOn(long lease, long deadline) throws EtcdException {
		return send(Rpc.TIME_TO_LIVE, Message.of(1, lease).with(2, true), deadline).texts(5);
	}

	/** End a lease if it exists, and remove its keys. */
	void revoke(long lease, long deadline) throws EtcdException {
		try {
			send(Rpc.REVOKE, Message.of(1, lease), deadline);
		}
		catch (EtcdException ex) {
			if (!ex.is(Status.Code.NOT_FOUND)) {
				throw ex;
			}
		}
	}

	/**
	 * Return the rest of a lease in whole seconds, or {@code null} if it has ended. This
	 * read is not linearizable.
	 */
	@Nullable Duration remaining(long lease, long deadline) throws EtcdException {
		long seconds = send(Rpc.TIME_TO_LIVE, Message.of(1, lease), deadline).number(3);
		return (seconds >= 0) ? Duration.ofSeconds(seconds) : null;
	}

	private Message send(MethodDescriptor<Message, Message> method, Message request, long deadline)
			throws EtcdException {
		return this.members.run((member) -> this.client.send(member, method, request, deadline), deadline);
	}

	/** Open a stream of watches at one member. */
	ClientCall<Message, Message> watch(URI member, ClientCall.Listener<Message> listener) {
		return this.client.watch(member, listener);
	}

	@Override
	public void close() {
		this.client.close();
	}

}
