package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.leasehold.engine.redis.connection.ConfiguredLogins;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.Signal;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.server.RedisTestCluster;
import io.leasehold.server.RedisTestSentinels;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Fault;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * An account's password is changed while locks are held, and all its connections are
 * killed.
 */
@Tag("full")
class RedisRotatedCredentialsIntegrationTests {

	private static final String USER = "shop";

	private static final Duration LEASE = Duration.ofSeconds(60);

	private final RedisClient operators = RedisClient.create();

	private final AtomicReference<String> password = new AtomicReference<>("first");

	private final BlockingQueue<Signal> signals = new LinkedBlockingQueue<>();

	@AfterEach
	void close() {
		this.operators.shutdown();
	}

	@Fault(135)
	@Test
	void newConnectionsToAServerUseTheNewPassword() throws Exception {
		try (RedisTestServer server = RedisTestServer.start()) {
			RedisStandaloneConfiguration servers = new RedisStandaloneConfiguration("127.0.0.1", server.port());
			locksThroughout(servers, List.of(operator(server.port(), null)));
		}
	}

	@Fault(135)
	@Test
	void newConnectionsToAMasterUseTheNewPassword() throws Exception {
		try (RedisTestSentinels servers = RedisTestSentinels.start()) {
			RedisSentinelConfiguration master = RedisOpener.master(RedisTestSentinels.MASTER, servers.sentinelPorts());
			master.setSentinelPassword(RedisTestSentinels.SENTINEL_PASSWORD);
			locksThroughout(master, List.of(operator(servers.master().port(), RedisTestSentinels.PASSWORD),
					operator(servers.replica().port(), RedisTestSentinels.PASSWORD)));
		}
	}

	@Fault(135)
	@Test
	void newConnectionsToSentinelsUseTheNewPassword() {
		try (RedisTestSentinels servers = RedisTestSentinels.start()) {
			List<RedisCommands<String, String>> sentinels = servers.sentinelPorts()
				.stream()
				.map((port) -> operator(port, RedisTestSentinels.SENTINEL_PASSWORD))
				.toList();
			RedisSentinelConfiguration master = RedisOpener.master(RedisTestSentinels.MASTER, servers.sentinelPorts());
			master.setPassword(RedisTestSentinels.PASSWORD);
			rotate(sentinels, "first");
			Member member = Member.of("test");
			try (RedisLockEngine engine = engine(master, member, () -> {
				master.setSentinelUsername(USER);
				master.setSentinelPassword(this.password.get());
				return master;
			})) {
				RedisEngines.warmUp(new TestMember(member, engine));
				rotate(sentinels, "second");
				await().untilAsserted(() -> assertThat(sentinels)
					.anySatisfy((sentinel) -> assertThat(sentinel.clientList()).contains("user=" + USER)));
			}
		}
	}

	@Fault(135)
	@Test
	void newConnectionsToAClusterUseTheNewPassword() throws Exception {
		try (RedisTestCluster cluster = RedisTestCluster.start()) {
			RedisClusterConfiguration servers = RedisOpener.clusterAt(cluster.ports());
			locksThroughout(servers, cluster.ports().stream().map((port) -> operator(port, null)).toList());
		}
	}

	/** What could not be read fails a request as a store that is out of reach does. */
	@Test
	void credentialsThatCannotBeReadAreReported() {
		RedisStandaloneConfiguration servers = new RedisStandaloneConfiguration("127.0.0.1",
				RedisTestServer.shared().port());
		Member member = Member.of("test");
		try (RedisLockEngine engine = engine(servers, member, () -> {
			throw new IllegalStateException("the vault is sealed");
		})) {
			Claim claim = new TestMember(member, engine).claim("k");
			assertThat(catchThrowableOfType(LockEngineException.class, () -> engine.tryAcquire(claim)))
				.hasMessage("Redis could not acquire lock 'k': The credentials could not be read: the vault is sealed")
				.matches(LockEngineException::isRetryable);
		}
	}

	private void locksThroughout(RedisConfiguration servers, List<RedisCommands<String, String>> operators)
			throws Exception {
		rotate(operators, "first");
		Member member = Member.of("test");
		try (RedisLockEngine engine = engine(servers, member, () -> {
			((RedisConfiguration.WithAuthentication) servers).setUsername(USER);
			((RedisConfiguration.WithAuthentication) servers).setPassword(this.password.get());
			return servers;
		})) {
			TestMember shop = new TestMember(member, engine);
			RedisEngines.warmUp(shop);
			Claim first = shop.claim("k", LEASE, false);
			long number = shop.granted(first);
			Claim second = shop.waiting("k");
			assertThat(engine.tryAcquire(second)).isInstanceOf(AcquisitionOutcome.Busy.class);
			engine.subscribe(second, this.signals::add);
			rotate(operators, "second");
			eventually().until(() -> shop.renew(first, number) instanceof RenewalOutcome.Renewed);
			eventually().until(() -> engine.tryAcquire(second) instanceof AcquisitionOutcome.Busy
					&& operators.stream().anyMatch(RedisRotatedCredentialsIntegrationTests::isListenedTo));
			engine.release(first);
			Signal signal = this.signals.poll(1, TimeUnit.MINUTES);
			while (signal instanceof Signal.Retry) { // the new subscription
				signal = this.signals.poll(1, TimeUnit.MINUTES);
			}
			assertThat(signal).isInstanceOf(Signal.Pushed.class);
			assertThatNoException().isThrownBy(() -> engine.release(second));
		}
	}

	private static boolean isListenedTo(RedisCommands<String, String> server) {
		return server.pubsubChannels().stream().anyMatch((channel) -> channel.contains("inbox"));
	}

	/** Change the account's password everywhere, and kill all of its connections. */
	private void rotate(List<RedisCommands<String, String>> servers, String next) {
		this.password.set(next);
		servers.forEach((server) -> {
			server.aclSetuser(USER,
					AclSetuserArgs.Builder.on().resetpass().addPassword(next).allKeys().allChannels().allCommands());
			server.clientKill(KillArgs.Builder.user(USER));
		});
	}

	private RedisCommands<String, String> operator(int port, String password) {
		RedisURI uri = RedisURI.create("127.0.0.1", port);
		if (password != null) {
			uri = RedisURI.builder(uri).withPassword(password.toCharArray()).build();
		}
		return this.operators.connect(uri).sync();
	}

	private static RedisLockEngine engine(RedisConfiguration servers, Member member,
			Supplier<RedisConfiguration> present) {
		RedisSettings settings = RedisEngines.patientSettings("test");
		RedisConnections connections = RedisConnections.by(
				new LettuceConnector(LettuceTransport.PLAIN, settings.commandTimeout()), servers,
				settings.commandTimeout());
		return new RedisLockEngine(connections.withLogins(new ConfiguredLogins(present)), settings, member,
				MonotonicClock.SYSTEM);
	}

	private static ConditionFactory eventually() {
		return await().ignoreExceptions();
	}

}
