package io.leasehold.autoconfigure.redis;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.leasehold.engine.redis.connection.ConfiguredLogins;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Logins;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * Logins of the application, read again for each connection: from its provider of
 * credentials, or else from connection details that describe the same servers, or else
 * from its connection factory.
 *
 * @param servers configuration of the connection factory
 * @param providers providers of credentials, or {@code null}
 * @param details connection details, or {@code null}
 * @param timeout maximum time to wait for a provider
 */
record ApplicationLogins(RedisConfiguration servers, @Nullable RedisCredentialsProviderFactory providers,
		@Nullable DataRedisConnectionDetails details, Duration timeout) implements Logins {

	@Override
	public Login atServers() {
		Login configured = new ConfiguredLogins(() -> this.servers).atServers();
		if (this.providers != null) {
			return provided(this.providers.createCredentialsProvider(this.servers), configured);
		}
		DataRedisConnectionDetails described = described();
		return (described != null)
				? login(described.getUsername(), described.getPassword(), configured, configured.database())
				: configured;
	}

	@Override
	public Login atSentinels() {
		RedisSentinelConfiguration master = (RedisSentinelConfiguration) this.servers;
		Login configured = new ConfiguredLogins(() -> this.servers).atSentinels();
		if (this.providers != null) {
			return provided(this.providers.createSentinelCredentialsProvider(master), configured);
		}
		DataRedisConnectionDetails described = described();
		DataRedisConnectionDetails.Sentinel sentinels = (described != null) ? described.getSentinel() : null;
		return (sentinels != null) ? login(sentinels.getUsername(), sentinels.getPassword(), configured, 0)
				: configured;
	}

	private Login provided(@Nullable RedisCredentialsProvider provider, Login configured) {
		if (provider == null) {
			return configured;
		}
		RedisCredentials present = provider.resolveCredentials().block(this.timeout);
		return (present != null) ? new Login(present.getUsername(), present.getPassword(), configured.database())
				: new Login(null, null, configured.database());
	}

	/** Return the login of details, unless it is that of another account or none. */
	private static Login login(@Nullable String username, @Nullable String password, Login configured, int database) {
		return (password != null && Objects.equals(username, configured.username()))
				? new Login(username, password.toCharArray(), database) : configured;
	}

	private @Nullable DataRedisConnectionDetails described() {
		return (this.details != null && describe(this.details, this.servers)) ? this.details : null;
	}

	/** Return whether connection details describe these servers. */
	static boolean describe(DataRedisConnectionDetails details, RedisConfiguration servers) {
		DataRedisConnectionDetails.Sentinel sentinels = details.getSentinel();
		DataRedisConnectionDetails.Cluster cluster = details.getCluster();
		if (servers instanceof RedisSentinelConfiguration configured) {
			return sentinels != null && same(sentinels.getNodes(), configured.getSentinels());
		}
		if (servers instanceof RedisClusterConfiguration configured) {
			return cluster != null && same(cluster.getNodes(), configured.getClusterNodes());
		}
		DataRedisConnectionDetails.Standalone single = details.getStandalone();
		return single != null && servers instanceof RedisStandaloneConfiguration configured
				&& single.getHost().equals(configured.getHostName()) && single.getPort() == configured.getPort();
	}

	private static boolean same(List<DataRedisConnectionDetails.Node> described, Collection<RedisNode> configured) {
		Set<String> addresses = configured.stream().map(RedisNode::asString).collect(Collectors.toSet());
		return described.stream()
			.map((node) -> new RedisNode(node.host(), node.port()).asString())
			.collect(Collectors.toSet())
			.equals(addresses);
	}

}
