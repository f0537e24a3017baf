package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import javax.net.ssl.SSLParameters;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

import org.springframework.boot.ssl.SslBundle;

/**
 * Connector for Jedis. Each connection has two threads, which end with it.
 */
public final class JedisConnector implements Connector {

	private final @Nullable SslBundle ssl;

	private final @Nullable String clientName;

	private final Duration timeout;

	private final Set<JedisConnection> connections = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	public JedisConnector(@Nullable SslBundle ssl, @Nullable String clientName, Duration timeout) {
		this.ssl = ssl;
		this.clientName = clientName;
		this.timeout = timeout;
	}

	@Override
	public Connection connect(Node node, Login login) {
		return open(node, login, (message) -> {
		}, () -> {
		});
	}

	@Override
	public SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages,
			Runnable lost) {
		JedisConnection connection = open(node, login, messages, lost);
		try {
			Replies.await(connection.send("SUBSCRIBE", channel), System.nanoTime() + this.timeout.toNanos());
			return connection;
		}
		catch (RedisFailure ex) {
			connection.close();
			throw ex;
		}
	}

	private JedisConnection open(Node node, Login login, Consumer<String> messages, Runnable lost) {
		try {
			JedisConnection connection = new JedisConnection(new HostAndPort(node.host(), node.port()), config(login),
					messages, (closed) -> {
						this.connections.remove(closed);
						lost.run();
					});
			this.connections.add(connection);
			connection.start();
			if (this.closed) {
				connection.close(); // it connected meanwhile
			}
			return connection;
		}
		catch (JedisException ex) {
			throw JedisConnection.failure(ex);
		}
	}

	private DefaultJedisClientConfig config(Login login) {
		int millis = Math.toIntExact(this.timeout.toMillis());
		DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder()
			.connectionTimeoutMillis(millis)
			.socketTimeoutMillis(millis)
			.user(login.username())
			.database(login.database())
			.clientName(this.clientName);
		char[] password = login.password();
		if (password != null) {
			config.password(new String(password));
		}
		if (this.ssl != null) {
			config.ssl(true)
				.sslSocketFactory(this.ssl.createSslContext().getSocketFactory())
				.sslParameters(parameters(this.ssl));
		}
		return config.build();
	}

	private static SSLParameters parameters(SslBundle ssl) {
		SSLParameters parameters = new SSLParameters(ssl.getOptions().getCiphers(),
				ssl.getOptions().getEnabledProtocols());
		// The certificate must match the host
		parameters.setEndpointIdentificationAlgorithm("HTTPS");
		return parameters;
	}

	@Override
	public void close() {
		this.closed = true;
		this.connections.forEach(JedisConnection::close);
	}

}
