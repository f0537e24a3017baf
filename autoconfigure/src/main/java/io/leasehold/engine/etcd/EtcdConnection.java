package io.leasehold.engine.etcd;

import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

import javax.net.ssl.SSLContext;

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
		@Nullable SSLContext tls) {

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
		if (endpoint.toString().contains("@")) { // not named, because it may contain a
													// password
			throw new IllegalArgumentException("leasehold.etcd.endpoints must not contain '@'");
		}
		boolean http = "http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme());
		if (!http || endpoint.getHost() == null) {
			throw new IllegalArgumentException(
					"leasehold.etcd.endpoints ('%s') must be URLs such as http://etcd1:2379".formatted(endpoint));
		}
	}

	Store connect(Duration callTimeout) {
		return connect(callTimeout, HttpThreads.pool());
	}

	/**
	 * Connect to the members. Half of a call's time remains for another member if one
	 * cannot be reached.
	 * @param threads executor for responses
	 */
	Store connect(Duration callTimeout, Executor threads) {
		HttpClient.Builder client = HttpClient.newBuilder()
			.connectTimeout(callTimeout.dividedBy(2))
			.executor(new HttpThreads(threads));
		if (this.tls != null) {
			client.sslContext(this.tls);
		}
		Credentials credentials = (this.user == null) ? null
				: new Credentials(this.user, (this.password != null) ? this.password : "");
		return new Store(new Gateway(client.build(), credentials), new Members(this.endpoints));
	}

	/** Return the endpoints only: this text may be logged. */
	@Override
	public String toString() {
		return this.endpoints.toString();
	}

}
