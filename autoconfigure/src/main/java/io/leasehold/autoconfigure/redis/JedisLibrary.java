package io.leasehold.autoconfigure.redis;

import java.util.stream.Stream;

import io.leasehold.engine.redis.RedisSettings;
import io.leasehold.engine.redis.connection.RedisConnections;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.RedisCredentials;

import org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.jedis.JedisClientConfigBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration.JedisClientConfigurationBuilder;

/**
 * Jedis, with credentials from the application's provider, if any.
 */
final class JedisLibrary implements RedisClientLibrary {

	private final @Nullable JedisClientConfigBuilderCustomizer customizer;

	JedisLibrary(Stream<JedisClientConfigurationBuilderCustomizer> customizers) {
		JedisClientConfigurationBuilder builder = JedisClientConfiguration.builder();
		customizers.forEach((each) -> each.customize(builder));
		this.customizer = customizer(builder.build());
	}

	/** By the name that Spring Boot 4.0 also knows. */
	@SuppressWarnings({ "deprecation", "removal" })
	private static @Nullable JedisClientConfigBuilderCustomizer customizer(JedisClientConfiguration configuration) {
		return configuration.getCustomizer().orElse(null);
	}

	@Override
	public RedisConnections connections(RedisServers servers, RedisSettings settings) {
		return RedisConnections
			.byJedis(servers.configuration(), servers.ssl(), servers.clientName(), settings.commandTimeout())
			.readingCredentials(() -> withCredentials(servers.configuration()));
	}

	private RedisConfiguration withCredentials(RedisConfiguration servers) {
		RedisCredentials provided = provided();
		if (provided != null && servers instanceof RedisConfiguration.WithAuthentication account) {
			account.setUsername(provided.getUser());
			account.setPassword(RedisPassword.of(provided.getPassword()));
		}
		return servers;
	}

	/**
	 * Return the customizer's credentials, or {@code null} if it sets none.
	 */
	private @Nullable RedisCredentials provided() {
		if (this.customizer == null) {
			return null;
		}
		DefaultJedisClientConfig.Builder builder = DefaultJedisClientConfig.builder();
		this.customizer.customize(builder);
		RedisCredentials provided = builder.build().getCredentialsProvider().get();
		return (provided != null && provided.getPassword() != null) ? provided : null;
	}

}
