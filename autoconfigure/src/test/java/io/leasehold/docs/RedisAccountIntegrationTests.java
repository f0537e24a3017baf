package io.leasehold.docs;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.leasehold.DistributedLocks;
import io.leasehold.HeldLock;
import io.leasehold.LockInspector;
import io.leasehold.LockKey;
import io.leasehold.autoconfigure.Leasehold;
import io.leasehold.server.RedisTestServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An account with the privileges that the manual names, on a server with ACLs.
 */
class RedisAccountIntegrationTests {

	private static final String USER = "shop";

	private static final String PASSWORD = "secret";

	/** Lease of a lock until its new owner renews it, which is soon. */
	private static final Duration GRANT_LEASE = Duration.ofSeconds(40);

	/** Commands that the engine sends at startup, to clusters and for replicas. */
	private static final List<List<String>> OTHER_COMMANDS = List.of(List.of("ASKING"), List.of("CLUSTER", "SLOTS"),
			List.of("ROLE"), List.of("WAIT", "1", "100"), List.of("INFO"));

	private final RedisTestServer server = RedisTestServer.start();

	private final RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.server.port()));

	private final RedisCommands<String, String> operator = this.client.connect().sync();

	@BeforeEach
	void createAccount() {
		List<String> rules = new ArrayList<>(List.of("SETUSER", USER, "on", ">" + PASSWORD));
		Manual.page("docs/engines/redis.md")
			.code()
			.stream()
			.filter((code) -> code.startsWith("+evalsha") || code.startsWith("~") || code.startsWith("&"))
			.forEach((code) -> rules.addAll(List.of(code.split(" "))));
		assertThat(acl(rules)).isEqualTo("OK");
	}

	@AfterEach
	void stop() {
		this.client.shutdown();
		this.server.close();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 3 })
	void accountNeedsNoOtherPrivileges(int database) {
		ApplicationContextRunner runner = Leasehold.runner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class))
			.withPropertyValues(Leasehold.patient())
			.withPropertyValues("spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + this.server.port(),
					"spring.data.redis.username=" + USER, "spring.data.redis.password=" + PASSWORD,
					"spring.data.redis.database=" + database, "leasehold.redis.grant-lease=" + GRANT_LEASE);
		runner.run((first) -> runner.run((second) -> {
			handOver(first.getBean(DistributedLocks.class), second.getBean(DistributedLocks.class),
					second.getBean(LockInspector.class));
			operate(first.getBean(DistributedLocks.class), second.getBean(LockInspector.class));
		}));
		assertThat(denied()).isEmpty();
	}

	/** The second process waits for the lock, is granted it, and renews it. */
	private static void handOver(DistributedLocks first, DistributedLocks second, LockInspector ofSecond) {
		HeldLock held = first.acquire("order:42");
		CompletableFuture<HeldLock> next = second.acquireAsync("order:42");
		await().until(() -> !ofSecond.overview().waiting().isEmpty());
		held.close();
		HeldLock pushed = next.join();
		await().until(() -> pushed.remaining().compareTo(GRANT_LEASE) > 0);
		pushed.close();
	}

	private static void operate(DistributedLocks first, LockInspector inspector) {
		HeldLock held = first.acquire("order:43");
		assertThat(inspector.inspect("redis", new LockKey("order:43"))).hasSize(1);
		assertThat(inspector.held("redis", "order:43", null, 1).held()).hasSize(1);
		assertThat(inspector.forceRelease("redis", new LockKey("order:43"))).hasSize(1);
		await().until(() -> !held.isValid());
	}

	@Test
	void accountMaySendTheOtherCommands() {
		assertThat(OTHER_COMMANDS).allSatisfy(
				(command) -> assertThat(acl(Stream.concat(Stream.of("DRYRUN", USER), command.stream()).toList()))
					.isEqualTo("OK"));
	}

	private String acl(List<String> arguments) {
		return this.operator.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8),
				new CommandArgs<>(StringCodec.UTF8).addValues(arguments));
	}

	/** What the server has refused to any account. */
	private List<Object> denied() {
		return this.operator.dispatch(CommandType.ACL, new ArrayOutput<>(StringCodec.UTF8),
				new CommandArgs<>(StringCodec.UTF8).add("LOG"));
	}

}
