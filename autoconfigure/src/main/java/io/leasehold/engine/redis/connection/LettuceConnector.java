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
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import org.jspecify.annotations.Nullable;

/**
 * Connector for Lettuce. Its threads start with the first connection.
 */
public final class LettuceConnector implements Connector {

	private final LettuceTransport transport;

	private final Duration timeout;

	private final ClientResources resources;

	private final RedisClient client;

	private volatile boolean closing;

	public LettuceConnector(LettuceTransport transport, Duration timeout) {
		this.transport = transport;
		this.timeout = timeout;
		this.resources = resources(transport.resources());
		this.client = RedisClient.create(this.resources);
		this.client.setOptions(options(transport.options(), timeout));
	}

	/** Create resources with separate threads, which an application cannot block. */
	private static ClientResources resources(@Nullable ClientResources application) {
		ClientResources.Builder builder = ClientResources.builder().ioThreadPoolSize(2).computationThreadPoolSize(2);
		if (application == null) {
			return builder.nettyCustomizer(new DiscardOnClose(DefaultClientResources.DEFAULT_NETTY_CUSTOMIZER)).build();
		}
		return builder.addressResolverGroup(application.addressResolverGroup())
			.socketAddressResolver(application.socketAddressResolver())
			.nettyCustomizer(new DiscardOnClose(application.nettyCustomizer()))
			.build();
	}

	/**
	 * A connection that never reconnects cannot replay its requests. A protocol that is
	 * not configured is negotiated.
	 */
	private static ClientOptions options(ClientOptions application, Duration timeout) {
		SocketOptions.Builder socket = application.getSocketOptions().mutate().connectTimeout(timeout);
		if (!application.getSocketOptions().isKeepAlive()) {
			socket.keepAlive(true);
		}
		return ClientOptions.builder()
			.autoReconnect(false)
			.timeoutOptions(TimeoutOptions.create())
			.socketOptions(socket.build())
			.sslOptions(application.getSslOptions())
			.protocolVersion(application.getConfiguredProtocolVersion())
			.pingBeforeActivateConnection(application.isPingBeforeActivateConnection())
			.build();
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
						messages, () -> lost(lost))
					.subscribe(channel, this.timeout));
	}

	/** Report a lost subscription, unless the client is closing it. */
	private void lost(Runnable report) {
		if (!this.closing) {
			report.run();
		}
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
			.withSsl(this.transport.ssl())
			.withStartTls(this.transport.startTls())
			.withVerifyPeer(this.transport.verification())
			.withDatabase(login.database())
			.withTimeout(this.timeout);
		char[] password = login.password();
		if (password != null && login.username() != null) {
			uri.withAuthentication(login.username(), password);
		}
		else if (password != null) {
			uri.withPassword(password);
		}
		String clientName = this.transport.clientName();
		if (clientName != null) {
			uri.withClientName(clientName);
		}
		return uri.build();
	}

	@Override
	public void close() {
		this.closing = true;
		this.client.shutdown(Duration.ZERO, this.timeout);
		this.resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
	}

	/**
	 * Socket option that discards undelivered data on close. Otherwise the operating
	 * system would retry for minutes, and the store would run outdated requests.
	 */
	private record DiscardOnClose(NettyCustomizer application) implements NettyCustomizer {

		@Override
		public void afterBootstrapInitialized(Bootstrap bootstrap) {
			this.application.afterBootstrapInitialized(bootstrap);
			bootstrap.option(ChannelOption.SO_LINGER, 0);
		}

		@Override
		public void afterChannelInitialized(Channel channel) {
			this.application.afterChannelInitialized(channel);
		}

	}

}
