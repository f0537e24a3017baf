package io.leasehold.autoconfigure;

import io.lettuce.core.SslOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * The application's Redis server, as the engine's own connections need it.
 */
final class RedisServerAddress {

	private final DataRedisConnectionDetails details;

	private final @Nullable String url;

	/**
	 * Create an address.
	 * @param url the {@code spring.data.redis.url}, whose scheme may ask for encryption
	 */
	RedisServerAddress(DataRedisConnectionDetails details, @Nullable String url) {
		this.details = details;
		this.url = url;
	}

	RedisStandaloneConfiguration server() {
		DataRedisConnectionDetails.Standalone node = this.details.getStandalone();
		// Boot offers a node on this machine beside the others
		if (node == null || this.details.getSentinel() != null || this.details.getCluster() != null
				|| this.details.getMasterReplica() != null) {
			throw new LockEngineConfigurationException(
					"The Redis engine needs a single node, but Sentinel, Cluster or master/replica is configured.",
					"Configure spring.data.redis.host and port, or choose another leasehold.engine.");
		}
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(node.getHost(), node.getPort());
		server.setDatabase(node.getDatabase());
		server.setUsername(this.details.getUsername());
		server.setPassword(this.details.getPassword());
		return server;
	}

	/** Return how to encrypt; {@code null} for a plain connection. */
	@Nullable SslOptions ssl() {
		SslBundle bundle = this.details.getSslBundle();
		if (bundle == null) {
			return (this.url != null && this.url.startsWith("rediss:")) ? SslOptions.create() : null;
		}
		SslOptions.Builder ssl = SslOptions.builder()
			.keyManager(bundle.getManagers().getKeyManagerFactory())
			.trustManager(bundle.getManagers().getTrustManagerFactory());
		if (bundle.getOptions().getCiphers() != null) {
			ssl.cipherSuites(bundle.getOptions().getCiphers());
		}
		if (bundle.getOptions().getEnabledProtocols() != null) {
			ssl.protocols(bundle.getOptions().getEnabledProtocols());
		}
		return ssl.build();
	}

}
