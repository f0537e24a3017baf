package io.leasehold.engine.etcd;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;

/**
 * Methods of etcd's services.
 */
final class Rpc {

	static final MethodDescriptor<Message, Message> RANGE = unary("KV/Range");

	static final MethodDescriptor<Message, Message> TXN = unary("KV/Txn");

	static final MethodDescriptor<Message, Message> GRANT = unary("Lease/LeaseGrant");

	static final MethodDescriptor<Message, Message> REVOKE = unary("Lease/LeaseRevoke");

	static final MethodDescriptor<Message, Message> TIME_TO_LIVE = unary("Lease/LeaseTimeToLive");

	static final MethodDescriptor<Message, Message> KEEP_ALIVE = stream("Lease/LeaseKeepAlive");

	static final MethodDescriptor<Message, Message> WATCH = stream("Watch/Watch");

	static final MethodDescriptor<Message, Message> LOGIN = unary("Auth/Authenticate");

	private Rpc() {
	}

	static MethodDescriptor<Message, Message> unary(String name) {
		return describe(name, MethodType.UNARY);
	}

	private static MethodDescriptor<Message, Message> stream(String name) {
		return describe(name, MethodType.BIDI_STREAMING);
	}

	private static MethodDescriptor<Message, Message> describe(String name, MethodType type) {
		return MethodDescriptor.newBuilder(Message.MARSHALLER, Message.MARSHALLER)
			.setFullMethodName("etcdserverpb." + name)
			.setType(type)
			.build();
	}

}
