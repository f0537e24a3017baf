package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.leasehold.HeldLock;
import io.leasehold.engine.redis.connection.LettuceTransport;
import io.leasehold.LockEngineException;
import io.leasehold.LockOptions;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import io.leasehold.engine.redis.connection.LettuceConnector;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.server.FaultProxy;
import io.leasehold.server.RedisTestServer;
import io.leasehold.service.LockService;
import io.leasehold.test.contract.Fault;
import io.leasehold.test.contract.Parallel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Callers of an engine whose connection has died without a word.
 */
@Tag("full")
@ExtendWith(OutputCaptureExtension.class)
class RedisSilenceIntegrationTests {

	private static final int CALLERS = 16;

	private static final Duration TIMEOUT = Duration.ofSeconds(4);

	private final RedisEngines engines = new RedisEngines(RedisTestServer.shared().port());

	private final FaultProxy network = FaultProxy.to(RedisTestServer.shared().port());

	@AfterEach
	void close() throws Exception {
		this.engines.close();
		this.network.close();
	}

	/** A silent connection is replaced before a request is sent through it. */
	@Fault(133)
	@Test
	void callersThatFindTheConnectionSilentGetANewOne(CapturedOutput output) throws Exception {
		TestMember member = member();
		RedisEngines.warmUp(member);
		Claim lost = member.claim("lost");
		this.network.strandRequests(); // for good
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> member.engine().tryAcquire(lost))
			.withMessageContaining("no response in time");
		awaitSilence();
		List<Callable<AcquisitionOutcome>> callers = new ArrayList<>();
		List<Claim> claims = new ArrayList<>();
		CyclicBarrier together = new CyclicBarrier(CALLERS);
		for (int i = 0; i < CALLERS; i++) {
			Claim claim = member.claim("key:" + i);
			claims.add(claim);
			callers.add(() -> {
				together.await();
				AcquisitionOutcome attempt = member.engine().tryAcquire(claim);
				assertThat(attempt).isInstanceOf(AcquisitionOutcome.Granted.class);
				return attempt;
			});
		}
		Parallel.run(callers);
		claims
			.forEach((claim) -> assertThat(member.engine().release(claim)).isInstanceOf(ReleaseOutcome.Released.class));
		member.engine().release(lost);
		assertThat(output).doesNotContain("already closed");
	}

	/** Their wait times are shorter than the timeout of the first request. */
	@Test
	void lockOfASilentServerIsNotBusyForCallersThatWaitBriefly() {
		TestMember member = this.engines.member(this.network.port());
		LockService service = this.engines.service(member, (event) -> {
		});
		LockOptions brief = service.defaults().toBuilder().waitTime(Duration.ofMillis(300)).build();
		this.network.blackHole();
		CompletableFuture<HeldLock> first = service.acquireAsync("order:42");
		CompletableFuture<HeldLock> second = service.acquireAsync("order:42", brief);
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> service.acquire("order:42", brief))
			.withMessageContaining("the store did not respond");
		assertThat(second).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.withCauseInstanceOf(LockEngineException.class);
		this.network.heal();
		first.thenAccept(HeldLock::close).join();
	}

	/** The inbox closes a lost subscription and opens another one. */
	@Test
	void subscriptionThatTheShutdownClosesIsNotReportedAsLost(CapturedOutput output) {
		AtomicReference<SubscribedConnection> subscription = new AtomicReference<>();
		AtomicInteger losses = new AtomicInteger();
		try (LettuceConnector connector = new LettuceConnector(LettuceTransport.PLAIN, TIMEOUT)) {
			Node node = new Node("127.0.0.1", RedisTestServer.shared().port());
			subscription.set(connector.listen(node, new Login(null, null, 0), "inbox", (message) -> {
			}, () -> {
				losses.incrementAndGet();
				subscription.get().close();
			}));
		} // ends the threads of the client
		assertThat(subscription.get().isOpen()).isFalse();
		assertThat(losses).hasValue(0);
		assertThat(output).doesNotContain("already closed");
	}

	/** Closing again is not worth a warning of the client library. */
	@Test
	void connectionThatSeveralCallersCloseIsClosedOnce(CapturedOutput output) throws Exception {
		AtomicInteger losses = new AtomicInteger();
		try (LettuceConnector connector = new LettuceConnector(LettuceTransport.PLAIN, TIMEOUT)) {
			Node node = new Node("127.0.0.1", RedisTestServer.shared().port());
			Login login = new Login(null, null, 0);
			Connection connection = connector.connect(node, login);
			SubscribedConnection subscription = connector.listen(node, login, "inbox", (message) -> {
			}, losses::incrementAndGet);
			Callable<Void> caller = () -> {
				connection.close();
				subscription.close();
				return null;
			};
			Parallel.run(Collections.nCopies(CALLERS, caller));
			assertThat(connection.isOpen()).isFalse();
			assertThat(subscription.isOpen()).isFalse();
			// The client's shutdown may find connections that are about to be closed
			assertThat(output).doesNotContain("already closed");
		}
		// Reported by a thread of the client
		await().untilAsserted(() -> assertThat(losses).hasValue(1));
	}

	/** The connection is silent for the whole time-out from now on at the latest. */
	private static void awaitSilence() {
		long begin = System.nanoTime();
		while (System.nanoTime() - begin <= TIMEOUT.toNanos()) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
		}
	}

	private TestMember member() {
		RedisSettings settings = new RedisSettings(this.engines.namespace(), Duration.ofSeconds(2),
				Duration.ofSeconds(7), TIMEOUT, TIMEOUT, TIMEOUT, Duration.ofSeconds(20), Duration.ofMinutes(1), 0);
		return this.engines.member(new RedisStandaloneConfiguration("127.0.0.1", this.network.port()), settings);
	}

}
