package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;

/**
 * Connector for Lettuce. Its threads start with the first connection.
 */
public final class LettuceConnector implements Connector {

	private final boolean ssl;

	private final @Nullable String clientName;

	private final Duration timeout;

	private final ClientResources resources;

	private final RedisClient client;

	public LettuceConnector(@Nullable SslBundle ssl, @Nullable String clientName, Duration timeout) {
		this.ssl = ssl != null;
		this.clientName = clientName;
		this.timeout = timeout;
		this.resources = ClientResources.builder()
			.ioThreadPoolSize(2)
			.computationThreadPoolSize(2)
			.nettyCustomizer(new DiscardOnClose())
			.build();
		this.client = RedisClient.create(this.resources);
		// A connection that never reconnects cannot replay its requests
		ClientOptions.Builder options = ClientOptions.builder()
			.autoReconnect(false)
			.timeoutOptions(TimeoutOptions.create())
			.socketOptions(SocketOptions.builder().connectTimeout(timeout).keepAlive(true).build());
		if (ssl != null) {
			options.sslOptions(options(ssl));
		}
		this.client.setOptions(options.build());
	}

	private static SslOptions options(SslBundle ssl) {
		SslOptions.Builder options = SslOptions.builder()
			.keyManager(ssl.getManagers().getKeyManagerFactory())
			.trustManager(ssl.getManagers().getTrustManagerFactory());
		if (ssl.getOptions().getCiphers() != null) {
			options.cipherSuites(ssl.getOptions().getCiphers());
		}
		if (ssl.getOptions().getEnabledProtocols() != null) {
			options.protocols(ssl.getOptions().getEnabledProtocols());
		}
		return options.build();
	}

	@Override
	public Connection connect(Node node, Login login) {
		return translated(() -> new LettuceConnection(this.client.connect(StringCodec.UTF8, uri(node, login))));
	}

	@Override
	public SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages,
			Runnable lost) {
		return translated(
				() -> new LettuceSubscribedConnection(this.client.connectPubSub(StringCodec.UTF8, uri(node, login)),
						messages, lost)
					.subscribe(channel, this.timeout));
	}

	private static <T> T translated(Supplier<T> action) {
		try {
			return action.get();
		}
		catch (RedisException ex) {
			throw LettuceRequest.failure(ex);
		}
	}

	private RedisURI uri(Node node, Login login) {
		RedisURI.Builder uri = RedisURI.builder()
			.withHost(node.host())
			.withPort(node.port())
			.withSsl(this.ssl)
			.withDatabase(login.database())
			.withTimeout(this.timeout);
		char[] password = login.password();
		if (password != null && login.username() != null) {
			uri.withAuthentication(login.username(), password);
		}
		else if (password != null) {
			uri.withPassword(password);
		}
		if (this.clientName != null) {
			uri.withClientName(this.clientName);
		}
		return uri.build();
	}

	@Override
	public void close() {
		this.client.shutdown(Duration.ZERO, this.timeout);
		this.resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
	}

	/**
	 * Socket option that discards undelivered data on close. Otherwise the operating
	 * system would retry for minutes, and the store would run outdated requests.
	 */
	private static final class DiscardOnClose implements NettyCustomizer {

		@Override
		public void afterBootstrapInitialized(Bootstrap bootstrap) {
			bootstrap.option(ChannelOption.SO_LINGER, 0);
		}

	}

}
