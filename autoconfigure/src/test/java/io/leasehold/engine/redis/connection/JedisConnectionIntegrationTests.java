package io.leasehold.engine.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.engine.redis.RedisEngines;
import io.leasehold.server.RedisTestServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisConnectionException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the end of a {@link JedisConnection}.
 */
class JedisConnectionIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	private static final Node NODE = new Node("127.0.0.1", RedisTestServer.shared().port());

	private static final Login LOGIN = new Login(null, null, 0);

	private static final int ROUNDS = 5;

	private static final int REQUESTS = 3000;

	private final String name = "name-" + UUID.randomUUID();

	private final JedisConnector connector = new JedisConnector(null, this.name, TIMEOUT);

	private final RedisEngines engines = RedisEngines.patient(NODE.port());

	@AfterEach
	void close() {
		this.connector.close();
		this.engines.close();
	}

	/** Jedis' own connections open again with the next command. */
	@Test
	void closedConnectionOfJedisDoesNotOpenAgain() {
		HostAndPort server = new HostAndPort(NODE.host(), NODE.port());
		JedisConnection.Socket socket = new JedisConnection.Socket(server, DefaultJedisClientConfig.builder().build());
		socket.discard();
		assertThatExceptionOfType(JedisConnectionException.class)
			.isThrownBy(() -> socket.sendCommand(Protocol.Command.PING));
		assertThat(socket.isConnected()).isFalse();
	}

	@Test
	void closedConnectionLeavesNeitherAClientNorAThread() {
		AtomicInteger lost = new AtomicInteger();
		long threads = threads();
		Connection connection = this.connector.connect(NODE, LOGIN);
		SubscribedConnection subscription = this.connector.listen(NODE, LOGIN, "channel", (message) -> {
		}, lost::incrementAndGet);
		assertThat(clients()).isEqualTo(2);
		connection.close();
		subscription.close();
		subscription.close();
		await().untilAsserted(() -> assertThat(clients()).isZero());
		await().untilAsserted(() -> assertThat(threads()).isLessThanOrEqualTo(threads));
		await().untilAsserted(() -> assertThat(lost).hasValue(1)); // older threads may
																	// end meanwhile
	}

	/** As one whose socket connects while the engine is closed. */
	@Test
	void connectionThatOpensAfterTheConnectorWasClosedIsClosed() {
		long threads = threads();
		this.connector.close();
		Connection connection = this.connector.connect(NODE, LOGIN);
		assertThat(connection.isOpen()).isFalse();
		await().untilAsserted(() -> assertThat(clients()).isZero());
		await().untilAsserted(() -> assertThat(threads()).isLessThanOrEqualTo(threads));
	}

	/** Some get a response, some fail, and none is forgotten between the two. */
	@Test
	void everyRequestOfAConnectionThatIsClosedEnds() {
		for (int round = 0; round < ROUNDS; round++) {
			Connection connection = this.connector.connect(NODE, LOGIN);
			List<CompletableFuture<?>> replies = new ArrayList<>();
			for (int i = 0; i < REQUESTS; i++) {
				replies.add(connection.send("PING"));
			}
			while (!replies.get(REQUESTS / 10).isDone()) {
				Thread.onSpinWait();
			}
			connection.close();
			await().untilAsserted(() -> assertThat(replies).allMatch(CompletableFuture::isDone));
		}
	}

	private long clients() {
		return this.engines.server().clientList().lines().filter((line) -> line.contains(this.name)).count();
	}

	private static long threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().matches("leasehold-redis-(writer|reader)-.*" + NODE.port()))
			.count();
	}

}
