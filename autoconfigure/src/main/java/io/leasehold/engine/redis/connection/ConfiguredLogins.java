package io.leasehold.engine.redis.connection;

import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Logins from a configuration of servers.
 *
 * @param servers returns the current configuration
 */
public record ConfiguredLogins(Supplier<? extends RedisConfiguration> servers) implements Logins {

	@Override
	public Login atServers() {
		return of(this.servers.get());
	}

	/**
	 * Return the login at servers that keep locks.
	 * @throws IllegalArgumentException if servers of this kind are not supported
	 */
	static Login of(RedisConfiguration servers) {
		if (servers instanceof RedisStandaloneConfiguration server) {
			return login(server.getUsername(), server.getPassword(), server.getDatabase());
		}
		if (servers instanceof RedisSentinelConfiguration master) {
			return login(master.getUsername(), master.getPassword(), master.getDatabase());
		}
		if (servers instanceof RedisClusterConfiguration cluster) {
			return login(cluster.getUsername(), cluster.getPassword(), 0);
		}
		throw new IllegalArgumentException("Neither a single server nor sentinels nor a cluster: " + servers);
	}

	@Override
	public Login atSentinels() {
		RedisSentinelConfiguration master = (RedisSentinelConfiguration) this.servers.get();
		return login(master.getSentinelUsername(), master.getSentinelPassword(), 0);
	}

	private static Login login(@Nullable String username, RedisPassword password, int database) {
		return new Login(username, password.toOptional().orElse(null), database);
	}

}
