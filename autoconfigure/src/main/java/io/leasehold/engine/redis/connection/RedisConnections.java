package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Factory of the engine's connections, which are separate from those of the application.
 * Threads and sockets are created with the first lock. Thread-safe.
 */
public final class RedisConnections implements AutoCloseable {

	private final Connector connector;

	private final RedisConfiguration servers;

	private final Supplier<? extends RedisConfiguration> credentials;

	private final Questions questions;

	private final EvictionWarning evictionWarning = new EvictionWarning();

	private RedisConnections(Connector connector, RedisConfiguration servers,
			Supplier<? extends RedisConfiguration> credentials, Questions questions) {
		this.connector = connector;
		this.servers = servers;
		this.credentials = credentials;
		this.questions = questions;
	}

	/** Create connections of any client library. */
	public static RedisConnections by(Connector connector, RedisConfiguration servers, Duration commandTimeout) {
		login(servers); // throws if they are not supported
		return new RedisConnections(connector, servers, () -> servers, new Questions(commandTimeout));
	}

	/**
	 * Create connections of Lettuce.
	 * @param servers a single server, sentinels or a cluster, with their credentials
	 * @param ssl TLS settings, or {@code null} for plain connections
	 * @param clientName name of the connections on the server, or {@code null}
	 * @param commandTimeout maximum time to connect, and to wait for the response to a
	 * query of the topology
	 * @return the connections, closed by the engine that uses them
	 * @throws IllegalArgumentException if servers of this kind are not supported
	 */
	public static RedisConnections byLettuce(RedisConfiguration servers, @Nullable SslBundle ssl,
			@Nullable String clientName, Duration commandTimeout) {
		return by(new LettuceConnector(ssl, clientName, commandTimeout), servers, commandTimeout);
	}

	/**
	 * Create connections of Jedis.
	 * @param servers a single server, sentinels or a cluster, with their credentials
	 * @param ssl TLS settings, or {@code null} for plain connections
	 * @param clientName name of the connections on the server, or {@code null}
	 * @param commandTimeout maximum time to connect, and to wait for the response to a
	 * query of the topology
	 * @return the connections, closed by the engine that uses them
	 * @throws IllegalArgumentException if servers of this kind are not supported
	 */
	public static RedisConnections byJedis(RedisConfiguration servers, @Nullable SslBundle ssl,
			@Nullable String clientName, Duration commandTimeout) {
		return by(new JedisConnector(ssl, clientName, commandTimeout), servers, commandTimeout);
	}

	/**
	 * Return these connections with credentials that may change. The result replaces this
	 * object.
	 * @param present called for each new connection, in a thread of the engine; may block
	 * briefly. It returns servers of the same kind, of which only the credentials and the
	 * database are read. An exception fails the connection
	 * @return the connections, closed by the engine that uses them
	 */
	public RedisConnections readingCredentials(Supplier<? extends RedisConfiguration> present) {
		return new RedisConnections(this.connector, this.servers, present, this.questions);
	}

	private Login login() {
		return login(present());
	}

	private Login sentinelLogin() {
		RedisSentinelConfiguration master = (RedisSentinelConfiguration) present();
		return login(master.getSentinelUsername(), master.getSentinelPassword(), 0);
	}

	private RedisConfiguration present() {
		try {
			return this.credentials.get();
		}
		catch (RuntimeException ex) {
			throw RedisFailure.noResponse("The credentials could not be read: " + ex.getMessage(), ex);
		}
	}

	private static Login login(RedisConfiguration servers) {
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

	private static Login login(@Nullable String username, RedisPassword password, int database) {
		return new Login(username, password.toOptional().orElse(null), database);
	}

	/**
	 * Return the topology of the servers.
	 * @param executor runs queries, which block
	 * @param primaries called with all primaries after each query
	 */
	public Topology topology(ScheduledExecutorService executor, Consumer<Set<Node>> primaries) {
		if (this.servers instanceof RedisSentinelConfiguration master) {
			String name = Objects.requireNonNull(master.getMaster(), "master").getName();
			return new Sentinels(String.valueOf(name), nodes(master.getSentinels()),
					(node) -> this.connector.connect(node, sentinelLogin()), this.questions, executor, primaries);
		}
		if (this.servers instanceof RedisClusterConfiguration cluster) {
			return new Cluster(nodes(cluster.getClusterNodes()), (node) -> this.connector.connect(node, login()),
					this.questions, executor, primaries);
		}
		return new SingleServer(node((RedisStandaloneConfiguration) this.servers));
	}

	private static Node node(RedisStandaloneConfiguration server) {
		return new Node(server.getHostName(), server.getPort());
	}

	private static List<Node> nodes(Collection<RedisNode> nodes) {
		return nodes.stream().map((node) -> new Node(node.getRequiredHost(), node.getRequiredPort())).toList();
	}

	/**
	 * Open a connection to a primary. Blocks for a few command timeouts at most.
	 * @throws RedisFailure if the connection fails, or the server is not a primary or
	 * cannot keep locks
	 */
	public Connection connect(Node node, Topology topology) {
		Connection connection = this.connector.connect(node, login());
		try {
			topology.verify(connection);
			ServerInfo info = this.questions.info(connection);
			info.checkSuitable();
			this.evictionWarning.check(node, info);
			return connection;
		}
		catch (RedisFailure ex) {
			connection.close();
			throw ex;
		}
	}

	/**
	 * Open a subscribed connection. Blocks for a few command timeouts at most.
	 * @throws RedisFailure if the connection fails
	 */
	public SubscribedConnection listen(Node node, String channel, Consumer<String> messages, Runnable lost) {
		return this.connector.listen(node, login(), channel, messages, lost);
	}

	@Override
	public String toString() {
		if (this.servers instanceof RedisSentinelConfiguration master) {
			return "sentinels " + nodes(master.getSentinels());
		}
		if (this.servers instanceof RedisClusterConfiguration cluster) {
			return "cluster nodes " + nodes(cluster.getClusterNodes());
		}
		return node((RedisStandaloneConfiguration) this.servers).toString();
	}

	@Override
	public void close() {
		this.connector.close();
	}

}
