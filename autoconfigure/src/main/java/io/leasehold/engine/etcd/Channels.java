package io.leasehold.engine.etcd;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;

/**
 * Connections to the members. One that cannot be established is replaced at the next
 * request, because gRPC would wait up to two minutes before it tries again. Thread-safe.
 */
final class Channels implements AutoCloseable {

	private final Function<URI, ManagedChannel> factory;

	private final Map<URI, ManagedChannel> open = new ConcurrentHashMap<>();

	Channels(Function<URI, ManagedChannel> factory) {
		this.factory = factory;
	}

	ManagedChannel to(URI member) {
		ManagedChannel present = this.open.computeIfAbsent(member, this.factory);
		if (present.getState(false) != ConnectivityState.TRANSIENT_FAILURE) {
			return present;
		}
		replace(member, present);
		return this.open.computeIfAbsent(member, this.factory);
	}

	/** Use another connection for the next request. Those on their way continue. */
	void replace(URI member, ManagedChannel present) {
		if (this.open.remove(member, present)) {
			present.shutdown();
		}
	}

	@Override
	public void close() {
		this.open.values().forEach(ManagedChannel::shutdownNow);
	}

}
