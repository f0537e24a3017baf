package io.leasehold.autoconfigure.redis;

import java.util.List;

import io.leasehold.autoconfigure.LockEngineConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Configuration of the application's Redis servers for the engine's own connections.
 */
final class RedisServers {

	private final DataRedisConnectionDetails details;

	private final Environment environment;

	/**
	 * Create servers.
	 * @param details connection details of Boot or of a service connection
	 * @param environment source of settings that the details lack
	 */
	RedisServers(DataRedisConnectionDetails details, Environment environment) {
		this.details = details;
		this.environment = environment;
	}

	/** Return the addresses, with the same precedence as in Boot. */
	RedisConfiguration configuration() {
		DataRedisConnectionDetails.Sentinel sentinel = this.details.getSentinel();
		if (sentinel != null) {
			return sentinel(sentinel);
		}
		DataRedisConnectionDetails.Cluster cluster = this.details.getCluster();
		if (cluster != null) {
			return cluster(cluster);
		}
		DataRedisConnectionDetails.Standalone node = this.details.getStandalone();
		if (node == null || this.details.getMasterReplica() != null) {
			throw new LockEngineConfigurationException(
					"The Redis engine cannot use the static master/replica setup of spring.data.redis.masterreplica, "
							+ "which does not identify the master.",
					"Configure spring.data.redis.sentinel, spring.data.redis.cluster, or host and port of the master, "
							+ "or choose another leasehold.engine.");
		}
		return standalone(node);
	}

	private RedisConfiguration standalone(DataRedisConnectionDetails.Standalone node) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(node.getHost(), node.getPort());
		configuration.setDatabase(node.getDatabase());
		configuration.setUsername(this.details.getUsername());
		configuration.setPassword(this.details.getPassword());
		return configuration;
	}

	private RedisConfiguration sentinel(DataRedisConnectionDetails.Sentinel sentinel) {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration();
		configuration.master(sentinel.getMaster());
		configuration.setSentinels(nodes(sentinel.getNodes()));
		configuration.setSentinelUsername(sentinel.getUsername());
		configuration.setSentinelPassword(sentinel.getPassword());
		configuration.setDatabase(sentinel.getDatabase());
		configuration.setUsername(this.details.getUsername());
		configuration.setPassword(this.details.getPassword());
		return configuration;
	}

	private RedisConfiguration cluster(DataRedisConnectionDetails.Cluster cluster) {
		RedisClusterConfiguration configuration = new RedisClusterConfiguration();
		configuration.setClusterNodes(nodes(cluster.getNodes()));
		configuration.setUsername(this.details.getUsername());
		configuration.setPassword(this.details.getPassword());
		return configuration;
	}

	private static List<RedisNode> nodes(List<DataRedisConnectionDetails.Node> nodes) {
		return nodes.stream().map((node) -> new RedisNode(node.host(), node.port())).toList();
	}

	/** Return the SSL bundle; {@code null} for unencrypted connections. */
	@Nullable SslBundle ssl() {
		SslBundle bundle = this.details.getSslBundle();
		boolean asked = this.environment.getProperty("spring.data.redis.url", "").startsWith("rediss:");
		return (bundle == null && asked) ? SslBundle.systemDefault() : bundle;
	}

	/** Return the name of connections on the server; {@code null} for none. */
	@Nullable String clientName() {
		return this.environment.getProperty("spring.data.redis.client-name");
	}

}
