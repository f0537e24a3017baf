package io.leasehold.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
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

	private final @Nullable String url;

	/**
	 * Create servers.
	 * @param url the {@code spring.data.redis.url}, whose scheme may ask for encryption
	 */
	RedisServers(DataRedisConnectionDetails details, @Nullable String url) {
		this.details = details;
		this.url = url;
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
		if (bundle == null && this.url != null && this.url.startsWith("rediss:")) {
			return SslBundle.systemDefault();
		}
		return bundle;
	}

}
