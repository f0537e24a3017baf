package io.leasehold.autoconfigure;

import java.util.List;

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
 * The application's Redis servers, as the engine's own connections need them.
 */
final class RedisServers {

	private final DataRedisConnectionDetails details;

	private final Environment environment;

	/**
	 * Create servers.
	 * @param details what Boot, or a service connection, knows of them
	 * @param environment has what the details do not tell
	 */
	RedisServers(DataRedisConnectionDetails details, Environment environment) {
		this.details = details;
		this.environment = environment;
	}

	/** Return where they are; the order of the questions is Boot's. */
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
							+ "where nobody tells which node is the master.",
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

	/** Return how to encrypt; {@code null} for plain connections. */
	@Nullable SslBundle ssl() {
		SslBundle bundle = this.details.getSslBundle();
		boolean asked = this.environment.getProperty("spring.data.redis.url", "").startsWith("rediss:");
		return (bundle == null && asked) ? SslBundle.systemDefault() : bundle;
	}

	/** Return how to name connections on the server; {@code null} not to. */
	@Nullable String clientName() {
		return this.environment.getProperty("spring.data.redis.client-name");
	}

}
