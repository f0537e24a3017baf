package io.leasehold.engine.etcd;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.TlsChannelCredentials;
import org.jspecify.annotations.Nullable;

/**
 * Members of an etcd cluster, and how to reach them.
 *
 * @param endpoints client URLs of the members, such as {@code https://etcd1:2379}
 * @param user name of the user, or {@code null} if the cluster does not require one
 * @param password password of the user
 * @param tls certificates that are trusted, and the client's own one, or {@code null} for
 * those of the JVM
 */
public record EtcdConnection(List<URI> endpoints, @Nullable String user, @Nullable String password,
		@Nullable ChannelCredentials tls) {

	/** The shortest time that servers of etcd and gRPC accept. */
	private static final int KEEP_ALIVE_SECONDS = 10;

	/**
	 * Create a connection; nothing is sent yet.
	 * @throws IllegalArgumentException if an endpoint is missing or invalid
	 */
	public EtcdConnection {
		endpoints = List.copyOf(endpoints);
		if (endpoints.isEmpty()) {
			throw new IllegalArgumentException("leasehold.etcd.endpoints must not be empty");
		}
		endpoints.forEach(EtcdConnection::check);
	}

	private static void check(URI endpoint) {
		// Not named, because it may contain a password
		if (endpoint.toString().contains("@")) {
			throw new IllegalArgumentException("leasehold.etcd.endpoints must not contain '@'");
		}
		boolean http = "http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme());
		if (!http || endpoint.getHost() == null) {
			throw new IllegalArgumentException(
					"leasehold.etcd.endpoints ('%s') must be URLs such as http://etcd1:2379".formatted(endpoint));
		}
	}

	/**
	 * Prepare the connections, without a request. This fails if gRPC has no transport.
	 */
	Store connect(Duration callTimeout) {
		this.endpoints.forEach((member) -> channel(member, callTimeout));
		return connect((member) -> channel(member, callTimeout).build());
	}

	Store connect(Function<URI, ManagedChannel> factory) {
		Message login = (this.user == null) ? null
				: Message.of(1, this.user).with(2, (this.password != null) ? this.password : "");
		return new Store(new EtcdClient(new Channels(factory), this.endpoints.size() == 1, login),
				new Members(this.endpoints));
	}

	/**
	 * Prepare the connection to a member. It repeats no request, and runs no code that
	 * blocks in its threads. A silent connection ends its watches.
	 */
	ManagedChannelBuilder<?> channel(URI member, Duration callTimeout) {
		boolean encrypted = "https".equals(member.getScheme());
		ChannelCredentials plain = InsecureChannelCredentials.create();
		ChannelCredentials trusted = (this.tls != null) ? this.tls : TlsChannelCredentials.create();
		int port = (member.getPort() != -1) ? member.getPort() : (encrypted ? 443 : 80);
		return Grpc.newChannelBuilderForAddress(member.getHost(), port, encrypted ? trusted : plain)
			.directExecutor()
			.disableRetry()
			.disableServiceConfigLookUp()
			.maxInboundMessageSize(Integer.MAX_VALUE)
			.keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
			.keepAliveTimeout(callTimeout.toMillis(), TimeUnit.MILLISECONDS);
	}

	/** Return the endpoints only: this text may be logged. */
	@Override
	public String toString() {
		return this.endpoints.toString();
	}

}
