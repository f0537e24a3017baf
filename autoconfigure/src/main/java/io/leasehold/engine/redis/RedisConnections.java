package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Where the engine's own connections come from, away from the application's traffic.
 * Threads and sockets start with the first lock. Thread-safe.
 */
public final class RedisConnections implements AutoCloseable {

	private final ClientResources resources;

	private final LettuceConnectionFactory factory;

	private final EvictionWarning evictionWarning = new EvictionWarning();

	private RedisConnections(ClientResources resources, LettuceConnectionFactory factory) {
		this.resources = resources;
		this.factory = factory;
	}

	/**
	 * Connect to a single server.
	 * @param server address, database and credentials
	 * @param ssl how to encrypt, or {@code null} for a plain connection
	 * @param settings the engine's settings
	 * @return connections, to be closed by the engine that they are given to
	 */
	public static RedisConnections to(RedisStandaloneConfiguration server, @Nullable SslOptions ssl,
			RedisSettings settings) {
		ClientResources resources = ClientResources.builder()
			.ioThreadPoolSize(2)
			.computationThreadPoolSize(2)
			.nettyCustomizer(new DiscardOnClose())
			.build();
		LettuceConnectionFactory factory = new LettuceConnectionFactory(server,
				client(resources, ssl, settings.commandTimeout()));
		factory.afterPropertiesSet();
		factory.start();
		return new RedisConnections(resources, factory);
	}

	private static LettuceClientConfiguration client(ClientResources resources, @Nullable SslOptions ssl,
			Duration timeout) {
		// A connection that never comes back cannot replay what was sent on it
		ClientOptions.Builder options = ClientOptions.builder()
			.autoReconnect(false)
			.timeoutOptions(TimeoutOptions.create())
			.socketOptions(SocketOptions.builder().connectTimeout(timeout).keepAlive(true).build());
		LettuceClientConfiguration.LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.clientResources(resources)
			.commandTimeout(timeout)
			.shutdownQuietPeriod(Duration.ZERO)
			.shutdownTimeout(timeout);
		if (ssl != null) {
			options.sslOptions(ssl);
			client.useSsl();
		}
		return client.clientOptions(options.build()).build();
	}

	/** Open a line, or fail. Blocks for at most twice the command timeout. */
	Line openLine(Duration silenceTimeout) {
		StatefulRedisConnection<String, String> connection = client().connect(StringCodec.UTF8);
		this.evictionWarning.check(connection);
		return new Line(connection, silenceTimeout);
	}

	/** Open a connection for messages, or fail. */
	StatefulRedisPubSubConnection<String, String> openPubSub() {
		return client().connectPubSub(StringCodec.UTF8);
	}

	private RedisClient client() {
		return (RedisClient) this.factory.getRequiredNativeClient();
	}

	@Override
	public void close() {
		this.factory.destroy();
		this.resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
	}

	/**
	 * Closing a connection drops what it has not delivered. Else the system would go on
	 * trying for minutes, and the store would run requests that were long given up.
	 */
	private static final class DiscardOnClose implements NettyCustomizer {

		@Override
		public void afterBootstrapInitialized(Bootstrap bootstrap) {
			bootstrap.option(ChannelOption.SO_LINGER, 0);
		}

	}

}
