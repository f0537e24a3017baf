package io.leasehold.autoconfigure.redis;

import java.time.Duration;
import java.util.stream.Stream;

import io.leasehold.engine.redis.RedisSettings;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * Lettuce, with credentials from the application's {@link RedisCredentialsProvider}, if
 * any.
 */
final class LettuceLibrary implements RedisClientLibrary {

	private final @Nullable RedisCredentialsProviderFactory providers;

	LettuceLibrary(Stream<LettuceClientConfigurationBuilderCustomizer> customizers) {
		LettuceClientConfigurationBuilder builder = LettuceClientConfiguration.builder();
		customizers.forEach((customizer) -> customizer.customize(builder));
		this.providers = builder.build().getRedisCredentialsProviderFactory().orElse(null);
	}

	@Override
	public RedisConnections connections(RedisServers servers, RedisSettings settings) {
		return RedisConnections
			.byLettuce(servers.configuration(), servers.ssl(), servers.clientName(), settings.commandTimeout())
			.readingCredentials(() -> withCredentials(servers.configuration(), settings.commandTimeout()));
	}

	private RedisConfiguration withCredentials(RedisConfiguration servers, Duration timeout) {
		RedisCredentialsProviderFactory factory = this.providers;
		if (factory == null) {
			return servers;
		}
		RedisCredentialsProvider provider = factory.createCredentialsProvider(servers);
		if (provider != null && servers instanceof RedisConfiguration.WithAuthentication account) {
			RedisCredentials present = provider.resolveCredentials().block(timeout);
			account.setUsername(username(present));
			account.setPassword(password(present));
		}
		if (servers instanceof RedisSentinelConfiguration sentinels) {
			withSentinelCredentials(sentinels, factory.createSentinelCredentialsProvider(sentinels), timeout);
		}
		return servers;
	}

	private static void withSentinelCredentials(RedisSentinelConfiguration sentinels,
			@Nullable RedisCredentialsProvider provider, Duration timeout) {
		if (provider != null) {
			RedisCredentials present = provider.resolveCredentials().block(timeout);
			sentinels.setSentinelUsername(username(present));
			sentinels.setSentinelPassword(password(present));
		}
	}

	private static @Nullable String username(@Nullable RedisCredentials credentials) {
		return (credentials != null) ? credentials.getUsername() : null;
	}

	private static RedisPassword password(@Nullable RedisCredentials credentials) {
		return RedisPassword.of((credentials != null) ? credentials.getPassword() : null);
	}

}
