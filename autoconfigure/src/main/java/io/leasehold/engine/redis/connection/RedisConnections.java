package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Factory of the engine's connections, which are separate from those of the application.
 * They are opened with the first lock. Thread-safe.
 */
public final class RedisConnections implements AutoCloseable {

	private final Connector connector;

	private final RedisConfiguration servers;

	private final Logins logins;

	private final Questions questions;

	private final EvictionWarning evictionWarning = new EvictionWarning();

	private RedisConnections(Connector connector, RedisConfiguration servers, Logins logins, Questions questions) {
		this.connector = connector;
		this.servers = servers;
		this.logins = logins;
		this.questions = questions;
	}

	/**
	 * Create connections.
	 * @param connector opens them, closed with them
	 * @param servers a single server, sentinels or a cluster, with their credentials
	 * @param commandTimeout maximum time to wait for the response to a query of the
	 * topology
	 * @return the connections, closed by the engine that uses them
	 * @throws IllegalArgumentException if servers of this kind are not supported
	 */
	public static RedisConnections by(Connector connector, RedisConfiguration servers, Duration commandTimeout) {
		ConfiguredLogins.of(servers);
		return new RedisConnections(connector, servers, new ConfiguredLogins(() -> servers),
				new Questions(commandTimeout));
	}

	/** Return these connections with other logins. The result replaces this object. */
	public RedisConnections withLogins(Logins other) {
		return new RedisConnections(this.connector, this.servers, other, this.questions);
	}

	private Login login() {
		return present(this.logins::atServers);
	}

	private static Login present(Supplier<Login> login) {
		try {
			return login.get();
		}
		catch (RuntimeException ex) {
			throw RedisFailure.noResponse("The credentials could not be read: " + ex.getMessage(), ex);
		}
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
					(node) -> this.connector.connect(node, present(this.logins::atSentinels)), this.questions, executor,
					primaries);
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
