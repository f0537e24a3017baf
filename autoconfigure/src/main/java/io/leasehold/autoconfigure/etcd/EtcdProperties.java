package io.leasehold.autoconfigure.etcd;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.grpc.ChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.leasehold.autoconfigure.EngineValues;
import io.leasehold.autoconfigure.LeaseholdProperties;
import io.leasehold.engine.RenewalRule;
import io.leasehold.engine.etcd.EtcdConnection;
import io.leasehold.engine.etcd.EtcdSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslManagerBundle;

/**
 * Properties of the etcd engine.
 *
 * @param endpoints Client URLs of the cluster's members, such as 'http://etcd1:2379'. If
 * one fails, the next one is used.
 * @param username User, if the cluster requires authentication.
 * @param password Password of the user.
 * @param ssl TLS settings for endpoints that begin with 'https'.
 * @param sessionTimeout How long locks outlive a process that died or was disconnected.
 * Locks with shorter leases have shorter sessions. Default is four thirds of
 * 'leasehold.lease'. Rounded up to whole seconds.
 * @param callTimeout Maximum time to wait for a response, including the time to connect.
 * @param pollInterval Maximum time between two polls of a waiting process. Waiters are
 * notified of their turn; polls only detect lost messages.
 */
@ConfigurationProperties("leasehold.etcd")
public record EtcdProperties(@DefaultValue List<String> endpoints, @Nullable String username, @Nullable String password,
		@DefaultValue Ssl ssl, @Nullable Duration sessionTimeout, @DefaultValue("2s") Duration callTimeout,
		@DefaultValue("2s") Duration pollInterval) {

	/** Return the settings of the engine, or reject invalid ones. */
	EtcdSettings toSettings(LeaseholdProperties shared) {
		return accepted(() -> new EtcdSettings(shared.namespace(), sessionTimeout(shared), this.callTimeout,
				this.pollInterval));
	}

	/** A short lease does not fail startup if its session is only rounded up. */
	private Duration sessionTimeout(LeaseholdProperties shared) {
		Duration least = EtcdSettings.shortestSession(this.callTimeout);
		Duration derived = RenewalRule.sessionTimeout(shared.lease());
		return (this.sessionTimeout != null) ? this.sessionTimeout : (derived.compareTo(least) > 0) ? derived : least;
	}

	/** Return the connection of the engine, or reject an invalid one. */
	static EtcdConnection toConnection(EtcdConnectionDetails details) {
		EngineValues.refuseCredentials("leasehold.etcd.endpoints", details.getEndpoints(),
				"Set leasehold.etcd.username and leasehold.etcd.password instead.");
		return accepted(() -> {
			SslBundle bundle = details.getSslBundle();
			ChannelCredentials tls = (bundle != null) ? credentials(bundle.getManagers()) : null;
			return new EtcdConnection(details.getEndpoints().stream().map(EtcdProperties::endpoint).toList(),
					details.getUsername(), details.getPassword(), tls);
		});
	}

	private static ChannelCredentials credentials(SslManagerBundle managers) {
		return TlsChannelCredentials.newBuilder()
			.trustManager(managers.getTrustManagers())
			.keyManager(managers.getKeyManagers())
			.build();
	}

	private static URI endpoint(String text) {
		try {
			return new URI(text);
		}
		catch (URISyntaxException ex) {
			throw new IllegalArgumentException(
					"leasehold.etcd.endpoints ('%s') must be URLs such as http://etcd1:2379".formatted(text), ex);
		}
	}

	private static <T> T accepted(Supplier<T> creation) {
		return EngineValues.accepted("etcd", "Change the named property.", creation);
	}

	/** Return the name only: unchecked addresses may contain a password. */
	@Override
	public String toString() {
		return "EtcdProperties";
	}

	/**
	 * TLS settings.
	 *
	 * @param bundle SSL bundle with the trusted certificates and, for mutual TLS, the
	 * client's certificate. The JVM's certificates apply by default.
	 */
	public record Ssl(@Nullable String bundle) {
	}

}
