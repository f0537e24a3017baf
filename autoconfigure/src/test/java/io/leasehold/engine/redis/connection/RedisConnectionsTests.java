package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.leasehold.engine.redis.ScriptedConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for what {@link RedisConnections} read of a configuration.
 */
class RedisConnectionsTests {

	private static final Node NODE = new Node("redis.example", 6380);

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

	private final List<Login> logins = new ArrayList<>();

	private ScriptedConnection connection = ScriptedConnection.responding(List.of("master"));

	@AfterEach
	void stop() {
		this.executor.shutdownNow();
	}

	@Test
	void singleServerIsUsedWithItsLogin() {
		RedisConnections connections = connections(single());
		assertThat(connections).hasToString("redis.example:6380");
		Topology topology = topology(connections);
		assertThat(topology).isInstanceOf(SingleServer.class);
		assertThat(topology.primaryOf("lock")).isCompletedWithValue(NODE);
		connections.connect(NODE, topology);
		assertLogin("shop", "secret", 3);
	}

	@Test
	void masterOfSentinelsIsUsedWithItsLoginAndTheyWithTheirs() {
		RedisConnections connections = connections(sentinels());
		assertThat(connections).hasToString("sentinels [a:1, b:2]");
		Topology topology = topology(connections);
		assertThat(topology).isInstanceOf(Sentinels.class);
		connections.connect(NODE, topology);
		assertLogin("shop", "secret", 4);
		this.logins.clear();
		this.connection = ScriptedConnection.responding(List.of("redis.example", "6380"));
		assertThat(topology.anyPrimary().join()).isEqualTo(NODE);
		assertLogin("watcher", "quiet", 0);
	}

	@Test
	void clusterIsUsedWithItsLogin() {
		RedisConnections connections = connections(cluster());
		assertThat(connections).hasToString("cluster nodes [a:1]");
		Topology topology = topology(connections);
		assertThat(topology).isInstanceOf(Cluster.class);
		connections.connect(NODE, topology);
		assertLogin("shop", "secret", 0);
	}

	@ParameterizedTest
	@MethodSource("configurations")
	void presentCredentialsAreReadForEachConnection(RedisConfiguration servers) {
		RedisConnections connections = connections(servers).withLogins(new ConfiguredLogins(() -> {
			((RedisConfiguration.WithAuthentication) servers).setPassword("present");
			return servers;
		}));
		connections.connect(NODE, new SingleServer(NODE));
		assertThat(this.logins).singleElement().extracting(Login::password).isEqualTo("present".toCharArray());
	}

	static Stream<RedisConfiguration> configurations() {
		return Stream.of(single(), sentinels(), cluster());
	}

	@Test
	void serverOfAnotherKindIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> connections(new RedisSocketConfiguration("/tmp/redis")))
			.withMessageStartingWith("Neither a single server nor sentinels nor a cluster: ");
	}

	@Test
	void connectionToAServerThatIsNoMasterIsClosed() {
		RedisConnections connections = connections(sentinels());
		this.connection = ScriptedConnection.responding(List.of("slave"));
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> connections.connect(NODE, topology(connections)))
			.matches((failure) -> failure.is("READONLY"));
		assertThat(this.connection.closings()).isOne();
	}

	private static RedisStandaloneConfiguration single() {
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("redis.example", 6380);
		server.setUsername("shop");
		server.setPassword("secret");
		server.setDatabase(3);
		return server;
	}

	private static RedisSentinelConfiguration sentinels() {
		RedisSentinelConfiguration master = new RedisSentinelConfiguration();
		master.master("mymaster");
		master.setSentinels(List.of(new RedisNode("a", 1), new RedisNode("b", 2)));
		master.setUsername("shop");
		master.setPassword("secret");
		master.setDatabase(4);
		master.setSentinelUsername("watcher");
		master.setSentinelPassword("quiet");
		return master;
	}

	private static RedisClusterConfiguration cluster() {
		RedisClusterConfiguration cluster = new RedisClusterConfiguration();
		cluster.addClusterNode(new RedisNode("a", 1));
		cluster.setUsername("shop");
		cluster.setPassword("secret");
		return cluster;
	}

	private void assertLogin(String username, String password, int database) {
		assertThat(this.logins).singleElement().satisfies((login) -> {
			assertThat(login.username()).isEqualTo(username);
			assertThat(login.password()).isEqualTo(password.toCharArray());
			assertThat(login.database()).isEqualTo(database);
		});
	}

	private RedisConnections connections(RedisConfiguration servers) {
		return RedisConnections.by(new Recording(), servers, Duration.ofSeconds(1));
	}

	private Topology topology(RedisConnections connections) {
		return connections.topology(this.executor, (Set<Node> primaries) -> {
		});
	}

	/** Records as whom connections are opened. */
	private final class Recording implements Connector {

		@Override
		public Connection connect(Node node, Login login) {
			RedisConnectionsTests.this.logins.add(login);
			return RedisConnectionsTests.this.connection;
		}

		@Override
		public SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages,
				Runnable lost) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void close() {
		}

	}

}
