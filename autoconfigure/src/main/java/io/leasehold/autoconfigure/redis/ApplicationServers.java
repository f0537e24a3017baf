package io.leasehold.autoconfigure.redis;

import java.util.Objects;
import java.util.Optional;

import io.leasehold.engine.redis.RedisSettings;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.lettuce.core.ClientOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * The servers of the application's connection factory, and how it connects to them. The
 * engine opens separate connections that lead to the same place.
 *
 * @param servers addresses and configured credentials
 * @param transport TLS, sockets, address resolution and name of connections
 * @param providers the application's providers of credentials, or {@code null}
 */
record ApplicationServers(RedisConfiguration servers, LettuceTransport transport,
		@Nullable RedisCredentialsProviderFactory providers) {

	/**
	 * Take over the servers of a factory.
	 * @param details connection details, which may be those of the factory, or
	 * {@code null}
	 * @throws io.leasehold.autoconfigure.LockEngineConfigurationException if the engine
	 * cannot connect as the factory does
	 */
	static ApplicationServers of(ApplicationFactory application, @Nullable DataRedisConnectionDetails details) {
		if (application.factory() instanceof LettuceConnectionFactory factory) {
			return new ApplicationServers(servers(application, factory, details), transport(factory),
					factory.getClientConfiguration().getRedisCredentialsProviderFactory().orElse(null));
		}
		if (application.factory() instanceof JedisConnectionFactory factory) {
			RedisStandaloneConfiguration single = Objects.requireNonNull(factory.getStandaloneConfiguration());
			RedisConfiguration servers = firstOf(factory.getClusterConfiguration(), factory.getSentinelConfiguration(),
					single);
			return new ApplicationServers(servers, transport(application, factory, servers, details), null);
		}
		throw application.unsupported("its type %s is neither that of Lettuce nor that of Jedis"
			.formatted(application.factory().getClass().getName()));
	}

	private static RedisConfiguration servers(ApplicationFactory application, LettuceConnectionFactory factory,
			@Nullable DataRedisConnectionDetails details) {
		if (factory.getSocketConfiguration() != null) {
			throw application.unsupported("it connects by a Unix domain socket");
		}
		RedisStandaloneConfiguration single = factory.getStandaloneConfiguration();
		RedisConfiguration servers = firstOf(factory.getClusterConfiguration(), factory.getSentinelConfiguration(),
				single);
		boolean replicas = details != null && details.getMasterReplica() != null;
		if (servers == single && (replicas || !isRead(single, factory))) {
			throw application
				.unsupported("it connects to static replicas (such as spring.data.redis.masterreplica), or "
						+ "was constructed with a parameter of type RedisConfiguration instead of RedisStandaloneConfiguration");
		}
		return servers;
	}

	/**
	 * Return whether this is the factory's configuration. For others, the factory returns
	 * a default.
	 */
	private static boolean isRead(RedisStandaloneConfiguration single, LettuceConnectionFactory factory) {
		return single.getHostName().equals(factory.getHostName()) && single.getPort() == factory.getPort()
				&& single.getDatabase() == factory.getDatabase()
				&& single.getPassword().equals(RedisPassword.of(factory.getPassword()));
	}

	private static RedisConfiguration firstOf(@Nullable RedisConfiguration cluster,
			@Nullable RedisConfiguration sentinels, RedisStandaloneConfiguration single) {
		if (cluster != null) {
			return cluster;
		}
		return (sentinels != null) ? sentinels : single;
	}

	private static LettuceTransport transport(LettuceConnectionFactory factory) {
		LettuceClientConfiguration client = factory.getClientConfiguration();
		return new LettuceTransport(client.isUseSsl(), client.isStartTls(), client.getVerifyMode(),
				client.getClientOptions().orElseGet(ClientOptions::create), client.getClientResources().orElse(null),
				client.getClientName().orElse(null));
	}

	/** By the names that Spring Boot 4.0 also knows. */
	@SuppressWarnings({ "deprecation", "removal" })
	private static LettuceTransport transport(ApplicationFactory application, JedisConnectionFactory factory,
			RedisConfiguration servers, @Nullable DataRedisConnectionDetails details) {
		JedisClientConfiguration client = factory.getClientConfiguration();
		Optional<SslBundle> ssl = Optional.ofNullable(details)
			.filter((known) -> ApplicationLogins.describe(known, servers))
			.map(DataRedisConnectionDetails::getSslBundle);
		if (client.getCustomizer().isPresent() || (client.isUseSsl() && ssl.isEmpty())) {
			throw application.unsupported("it configures Jedis by a customizer, or by TLS settings other than "
					+ "spring.data.redis.ssl, which do not apply to Lettuce");
		}
		return LettuceTransport.of(client.isUseSsl() ? ssl.orElseThrow() : null, client.getClientName().orElse(null));
	}

	/**
	 * Return connections to the servers, each with the credentials at the time of its
	 * creation.
	 */
	RedisConnections connections(@Nullable DataRedisConnectionDetails details, RedisSettings settings) {
		return RedisConnections
			.by(new LettuceConnector(this.transport, settings.commandTimeout()), this.servers,
					settings.commandTimeout())
			.withLogins(new ApplicationLogins(this.servers, this.providers, details, settings.commandTimeout()));
	}

}
