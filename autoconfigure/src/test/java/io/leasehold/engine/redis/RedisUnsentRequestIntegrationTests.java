package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Replies;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import io.leasehold.test.contract.Parallel;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Requests whose connection closes around the moment of sending. A request that was never
 * sent takes a new connection; one that may have been sent is not repeated.
 */
@Tag("full")
class RedisUnsentRequestIntegrationTests {

	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	/** What is left of a lease in milliseconds before it is renewed. */
	private static final long RENEWED_FROM = 8_000;

	private static final int ROUNDS = 50;

	private static final int CALLERS = 4;

	private static final int REQUESTS_AT_A_TIME = 16;

	/** Its figures count what no other test does. */
	private static final RedisTestServer SERVER = RedisTestServer.start();

	private static final Node NODE = new Node("127.0.0.1", SERVER.port());

	private static final Login LOGIN = new Login(null, null, 0);

	private final RedisEngines engines = RedisEngines.patient(SERVER.port());

	private final FaultProxy network = FaultProxy.to(SERVER.port());

	private final List<AutoCloseable> opened = new ArrayList<>();

	@AfterAll
	static void stopServer() {
		SERVER.close();
	}

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable resource : this.opened) {
			resource.close();
		}
		this.engines.close();
		this.network.close();
	}

	@Test
	void requestToAcquireThatWasNeverSentTakesANewConnection() {
		InterruptedConnector connector = interrupted();
		TestMember member = member(connector);
		Claim claim = member.claim("key");
		connector.beforeNext(() -> anotherCallerReplacesTheConnection(member));
		long number = member.granted(claim);
		assertThat(member.engine().inspect(claim.key())).singleElement()
			.satisfies((holder) -> assertThat(holder.number()).isEqualTo(number));
		assertThat(member.engine().liveClaims()).isZero();
		assertThat(member.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void releaseThatWasNeverSentTakesANewConnection() {
		InterruptedConnector connector = interrupted();
		TestMember member = member(connector);
		Claim claim = member.claim("key");
		member.granted(claim);
		connector.beforeNext(() -> anotherCallerReplacesTheConnection(member));
		assertThat(member.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(member.engine().inspect(claim.key())).isEmpty();
	}

	/** Not unknown: no earlier request can have ended the claim. */
	@Test
	void releaseOfALostLockThatWasNeverSentReportsTheLoss() {
		InterruptedConnector connector = interrupted();
		TestMember member = member(connector);
		Claim claim = member.claim("key");
		member.granted(claim);
		this.engines.server().del(this.engines.keys("key").lock());
		connector.beforeNext(() -> anotherCallerReplacesTheConnection(member));
		assertThat(member.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	@Test
	void renewalThatWasNeverSentTakesANewConnection() {
		InterruptedConnector connector = interrupted();
		TestMember member = member(connector);
		Claim claim = member.claim("key");
		long number = member.granted(claim);
		connector.beforeNext(() -> anotherCallerReplacesTheConnection(member));
		assertThat(member.renew(claim, number)).isInstanceOf(RenewalOutcome.Renewed.class);
	}

	/** The store has run it, and its response is lost with the connection. */
	@Test
	void requestThatMayHaveBeenSentIsNotRepeated() {
		InterruptedConnector connector = interrupted();
		TestMember member = member(connector);
		Claim claim = member.claim("key");
		String lock = this.engines.keys("key").lock();
		long before = this.engines.scriptsRun();
		loseTheResponseToNext(connector, () -> this.engines.server().exists(lock) == 1);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> member.engine().tryAcquire(claim));
		assertThat(this.engines.scriptsRun() - before).isEqualTo(1);
		eventually().ignoreExceptions()
			.until(() -> member.engine().tryAcquire(claim) instanceof AcquisitionOutcome.Granted);
		long number = member.granted(claim);
		assertThat(member.renew(claim, number)).isInstanceOf(RenewalOutcome.Renewed.class);
		this.engines.server().pexpire(lock, RENEWED_FROM);
		loseTheResponseToNext(connector, () -> this.engines.server().pttl(lock) > RENEWED_FROM);
		assertThat(member.renew(claim, number)).isInstanceOf(RenewalOutcome.Unknown.class);
		eventually().until(() -> member.renew(claim, number) instanceof RenewalOutcome.Renewed);
		loseTheResponseToNext(connector, () -> this.engines.server().exists(lock) == 0);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> member.engine().release(claim));
	}

	/** The server has begun to run it and responds never. */
	@Test
	void requestThatTheServerHasIsNotReportedAsNeverSent() {
		Connection connection = open();
		// The one of the other library may not have ended yet
		eventually().until(() -> blockedClients() == 0);
		CompletableFuture<?> reply = connection.send("WAIT", "9", "0");
		eventually().until(() -> blockedClients() == 1);
		connection.close();
		assertThatExceptionOfType(RedisFailure.class).isThrownBy(() -> Replies.await(reply, deadline()))
			.matches((failure) -> !failure.isNeverSent() && !failure.hasNotRun());
	}

	@Test
	void requestToAClosedConnectionIsReportedAsNeverSent() {
		Connector connector = connector();
		for (int round = 0; round < 300; round++) {
			Connection connection = connector.connect(NODE, LOGIN);
			connection.close();
			assertThatExceptionOfType(RedisFailure.class).as("round %d", round)
				.isThrownBy(() -> Replies.await(connection.send("PING"), deadline()))
				.matches(RedisFailure::isNeverSent);
		}
	}

	@Test
	void requestsThatAreReportedAsNeverSentHaveNotRun() throws Exception {
		String list = this.engines.namespace() + ":run";
		Set<String> neverSent = ConcurrentHashMap.newKeySet();
		Connector connector = connector();
		for (int round = 0; round < ROUNDS; round++) {
			Connection connection = connector.connect(NODE, LOGIN);
			CountDownLatch begun = new CountDownLatch(2 * CALLERS);
			List<Callable<Void>> tasks = new ArrayList<>();
			for (int caller = 0; caller < CALLERS; caller++) {
				String name = "%d-%d-".formatted(round, caller);
				tasks.add(() -> {
					sendUntilClosed(connection, list, name, begun, neverSent);
					return null;
				});
			}
			tasks.add(() -> {
				begun.await();
				connection.close();
				return null;
			});
			Parallel.run(tasks);
		}
		assertThat(neverSent).isNotEmpty();
		assertThat(this.engines.server().lrange(list, 0, -1)).isNotEmpty().doesNotContainAnyElementsOf(neverSent);
	}

	private static void sendUntilClosed(Connection connection, String list, String name, CountDownLatch begun,
			Set<String> neverSent) {
		for (int i = 0;; i++) {
			String request = name + i;
			boolean open = connection.isOpen();
			CompletableFuture<Boolean> ended = connection
				.send("EVAL", "return redis.call('rpush', KEYS[1], ARGV[1])", "1", list, request)
				.handle((response, failure) -> failure != null && Replies.failure(failure).isNeverSent()
						&& neverSent.add(request));
			begun.countDown();
			if (!open) {
				return;
			}
			if (i % REQUESTS_AT_A_TIME == 0) {
				Replies.await(ended, deadline());
			}
		}
	}

	private void anotherCallerReplacesTheConnection(TestMember member) {
		this.network.reset();
		Claim other = member.claim("other");
		eventually().ignoreExceptions()
			.until(() -> member.engine().tryAcquire(other) instanceof AcquisitionOutcome.Granted);
		member.engine().release(other);
	}

	private void loseTheResponseToNext(InterruptedConnector connector, Callable<Boolean> hasRun) {
		this.network.replies().hold();
		connector.afterNext(() -> {
			eventually().until(hasRun);
			this.network.reset();
			this.network.replies().open();
		});
	}

	private long blockedClients() {
		return this.engines.server()
			.info("clients")
			.lines()
			.filter((line) -> line.startsWith("blocked_clients:"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
			.sum();
	}

	private static ConditionFactory eventually() {
		return await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).atMost(TIMEOUT);
	}

	private static long deadline() {
		return System.nanoTime() + TIMEOUT.toNanos();
	}

	private Connection open() {
		return connector().connect(NODE, LOGIN);
	}

	private Connector connector() {
		Connector connector = new LettuceConnector(LettuceTransport.PLAIN, TIMEOUT);
		this.opened.add(connector);
		return connector;
	}

	private static InterruptedConnector interrupted() {
		return new InterruptedConnector(new LettuceConnector(LettuceTransport.PLAIN, TIMEOUT));
	}

	private TestMember member(Connector connector) {
		RedisSettings settings = new RedisSettings(this.engines.namespace(), Duration.ofSeconds(10),
				Duration.ofSeconds(40), TIMEOUT, TIMEOUT, TIMEOUT, Duration.ofMinutes(1), Duration.ofMinutes(1), 0);
		RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(NODE.host(), this.network.port());
		Member member = Member.of("test");
		RedisLockEngine engine = new RedisLockEngine(RedisConnections.by(connector, server, settings.commandTimeout()),
				settings, member, MonotonicClock.SYSTEM);
		this.opened.add(engine);
		TestMember result = new TestMember(member, engine);
		RedisEngines.warmUp(result);
		return result;
	}

}
