package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.engine.redis.connection.Connection;
import io.leasehold.engine.redis.connection.Connector;
import io.leasehold.engine.redis.connection.SubscribedConnection;
import io.leasehold.engine.redis.connection.Login;
import io.leasehold.engine.redis.connection.Node;
import io.leasehold.engine.redis.connection.RedisConnections;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Script;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the connections of a {@link RedisLockEngine}, and for what it makes of
 * responses.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisLockEngineTests {

	private final Servers servers = new Servers();

	private @Nullable RedisLockEngine engine;

	@AfterEach
	void close() {
		if (this.engine != null) {
			this.engine.close();
		}
	}

	/** WAIT would hold up the renewals behind it. */
	@ParameterizedTest
	@CsvSource({ "0, 1", "1, 2" })
	void renewalsHaveASeparateConnectionIfGrantsWaitForReplicas(int replicas, int connections) {
		TestMember member = member(replicas);
		Claim claim = member.claim("k");
		assertThat(member.engine().tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Granted.class);
		assertThat(member.renew(claim, 5)).isInstanceOf(RenewalOutcome.Renewed.class);
		assertThat(this.servers.opened).hasSize(connections);
		List<String> waits = this.servers.opened.stream()
			.flatMap((connection) -> connection.sent().stream())
			.filter((command) -> command.startsWith("WAIT"))
			.toList();
		assertThat(waits).hasSize(replicas);
	}

	@Test
	void unreachableServerIsReportedWhenTheEngineStarts(CapturedOutput output) {
		this.servers.reachable = false;
		this.servers.mayFail.countDown();
		member(0).engine().warmUp();
		await().untilAsserted(() -> assertThat(output)
			.contains("Locks fail until Redis can be reached at redis.example:6379: unreachable"));
	}

	@Test
	void connectionThatFailsBecauseTheEngineIsClosedIsNotReported(CapturedOutput output) throws Exception {
		this.servers.reachable = false;
		RedisLockEngine starting = member(0).engine();
		starting.warmUp();
		Thread connecting = this.servers.connecting.get();
		starting.close();
		connecting.join();
		assertThat(output).doesNotContain("Locks fail");
	}

	@Test
	void requestInFlightFailsAsLaterOnesIfTheEngineIsClosed() {
		CompletableFuture<@Nullable Object> response = new CompletableFuture<>();
		this.servers.acquire = response;
		TestMember member = member(0);
		Claim claim = member.claim("k");
		CompletableFuture<AcquisitionOutcome> request = CompletableFuture
			.supplyAsync(() -> member.engine().tryAcquire(claim));
		await().until(() -> this.servers.opened.stream().anyMatch((connection) -> !connection.sent().isEmpty()));
		member.engine().close();
		response.completeExceptionally(RedisFailure.noResponse("connection is closed", null));
		assertThatExceptionOfType(CompletionException.class).isThrownBy(request::join)
			.withCauseInstanceOf(LockEngineException.class)
			.havingCause()
			.withMessage("Lock 'k' is unavailable: engine 'redis' is closed")
			.matches((failure) -> !((LockEngineException) failure).isRetryable());
	}

	@Test
	void otherNumberOfPermitsIsReportedAndTheClaimForgotten() {
		this.servers.acquire = CompletableFuture.completedFuture(List.of("differs", "3"));
		TestMember member = member(0);
		assertThat(member.engine().tryAcquire(member.claim("k")))
			.isEqualTo(new AcquisitionOutcome.Contradicted(Access.permits(3)));
		assertThat(member.engine().liveClaims()).isZero();
	}

	/** A lease that ends within this millisecond is over at the next poll. */
	@Test
	void nextPollIsJustAfterTheEndOfALeaseIfThatIsKnown() {
		TestMember member = member(0);
		this.servers.acquire = CompletableFuture.completedFuture(List.of("busy", "5", 0L));
		assertThat(retryIn(member)).isEqualTo(Duration.ofMillis(5));
		this.servers.acquire = CompletableFuture.completedFuture(List.of("busy", "5", 30L));
		assertThat(retryIn(member)).isEqualTo(Duration.ofMillis(35));
		this.servers.acquire = CompletableFuture.completedFuture(List.of("busy", "5", -1L));
		assertThat(retryIn(member)).isBetween(Duration.ofMillis(2700), Duration.ofSeconds(3));
	}

	private static Duration retryIn(TestMember member) {
		AcquisitionOutcome attempt = member.engine().tryAcquire(member.claim("k"));
		assertThat(attempt).isInstanceOf(AcquisitionOutcome.Busy.class);
		return ((AcquisitionOutcome.Busy) attempt).retryIn();
	}

	/** See {@link Script#ACQUIRE}: a single server counts the listeners of a message. */
	@ParameterizedTest
	@CsvSource({ "true, +", "false, -" })
	void waitingClaimIsNotifiedIfItsMemberIsSubscribed(boolean subscribed, String form) {
		this.servers.listening = subscribed;
		TestMember member = member(0);
		assertThat(member.engine().tryAcquire(member.waiting("k"))).isInstanceOf(AcquisitionOutcome.Granted.class);
		assertThat(this.servers.opened).singleElement()
			.satisfies((connection) -> assertThat(connection.sent()).last().asString().endsWith(" " + form + " 12000"));
	}

	@Test
	void grantToAnUnknownClaimIsReleasedThroughAnOpenConnection() {
		this.servers.listening = true;
		TestMember member = member(0);
		member.granted(member.waiting("k"));
		ScriptedConnection connection = this.servers.opened.get(0);
		this.servers.messages.accept("9:unknown test:{other}");
		assertThat(connection.sent()).last()
			.asString()
			.startsWith("EVAL " + Scripts.CLOSE.text())
			.contains(" 6 test:{other} ")
			.endsWith(" unknown 60000 test:inbox: 10000 0");
		connection.close();
		int sent = connection.sent().size();
		this.servers.messages.accept("9:unknown test:{other}");
		assertThat(connection.sent()).hasSize(sent);
	}

	@Test
	void claimThatHasEndedIsNotGranted() {
		this.servers.acquire = CompletableFuture.completedFuture(List.of("closed"));
		TestMember member = member(0);
		Claim claim = member.claim("k");
		assertThatIllegalStateException().isThrownBy(() -> member.engine().tryAcquire(claim))
			.withMessage("The claim on lock 'k' has already ended");
	}

	@Test
	void claimThatTheStoreDoesNotKnowIsNotReleasedThere() {
		TestMember member = member(0);
		this.servers.acquire = ScriptedConnection.neverSent();
		Claim claim = member.claim("k");
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> member.engine().tryAcquire(claim));
		assertThat(member.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
		assertThat(closes()).isEmpty();
		assertThat(member.engine().liveClaims()).isZero();
	}

	/** The number of milliseconds for which a marker stays is the last argument. */
	@Test
	void releaseLeavesAMarkerIfARequestMayStillArrive() {
		TestMember member = member(0);
		Claim granted = member.claim("k");
		member.granted(granted);
		assertThat(member.engine().release(granted)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(closes()).singleElement().asString().endsWith(" 0");
		this.servers.acquire = CompletableFuture.failedFuture(RedisFailure.noResponse("connection is closed", null));
		Claim lost = member.claim("k");
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> member.engine().tryAcquire(lost));
		this.servers.opened.get(0).close();
		assertThat(member.engine().release(lost)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(closes()).hasSize(2).last().asString().endsWith(" 20000");
		assertThat(member.engine().liveClaims()).isZero();
	}

	@Test
	void releaseThatFindsNothingIsALossUnlessItIsRepeated() {
		TestMember member = member(0);
		Claim claim = member.claim("k");
		member.granted(claim);
		this.servers.close = CompletableFuture.failedFuture(RedisFailure.noResponse("connection is closed", null));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> member.engine().release(claim));
		this.servers.close = CompletableFuture.completedFuture(0L);
		assertThat(member.engine().release(claim)).isInstanceOf(ReleaseOutcome.Unknown.class);
		Claim next = member.claim("k");
		member.granted(next);
		assertThat(member.engine().release(next)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	@Test
	void releaseThatHasNotRunDoesNotCount() {
		TestMember member = member(0);
		Claim claim = member.claim("k");
		member.granted(claim);
		this.servers.close = ScriptedConnection.neverSent();
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> member.engine().release(claim));
		this.servers.close = CompletableFuture.completedFuture(0L);
		assertThat(member.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	private List<String> closes() {
		return this.servers.opened.stream()
			.flatMap((connection) -> connection.sent().stream())
			.filter((command) -> command.startsWith("EVALSHA " + Scripts.CLOSE.digest()))
			.toList();
	}

	private TestMember member(int replicas) {
		RedisSettings settings = RedisEngines.patientSettings("test", replicas);
		Member member = Member.of("test");
		this.engine = new RedisLockEngine(RedisConnections.by(this.servers,
				new RedisStandaloneConfiguration("redis.example", 6379), settings.commandTimeout()), settings, member,
				MonotonicClock.SYSTEM);
		return new TestMember(member, this.engine);
	}

	/** A server that grants and renews all locks, if it can be reached. */
	private static final class Servers implements Connector {

		private final List<ScriptedConnection> opened = new CopyOnWriteArrayList<>();

		private final CompletableFuture<Thread> connecting = new CompletableFuture<>();

		private final CountDownLatch mayFail = new CountDownLatch(1);

		private volatile boolean reachable = true;

		private volatile boolean listening;

		private volatile Consumer<String> messages = (message) -> {
		};

		private volatile CompletableFuture<@Nullable Object> acquire = CompletableFuture
			.completedFuture(List.of("granted", "5"));

		private volatile CompletableFuture<@Nullable Object> close = CompletableFuture.completedFuture(1L);

		@Override
		public Connection connect(Node node, Login login) {
			this.connecting.complete(Thread.currentThread());
			if (!this.reachable) {
				awaitClose();
				throw RedisFailure.noResponse("unreachable", null);
			}
			ScriptedConnection connection = new ScriptedConnection(this::response);
			this.opened.add(connection);
			return connection;
		}

		private void awaitClose() {
			boolean interrupted = true;
			while (interrupted) {
				try {
					this.mayFail.await();
					interrupted = false;
				}
				catch (InterruptedException ex) {
					// The engine closes its connections next
				}
			}
		}

		private CompletableFuture<@Nullable Object> response(String command) {
			if (command.startsWith("EVALSHA " + Scripts.ACQUIRE.digest())) {
				return this.acquire;
			}
			if (command.startsWith("EVALSHA " + Scripts.RENEW.digest())) {
				return CompletableFuture.completedFuture(List.of(1L));
			}
			if (command.startsWith("EVALSHA " + Scripts.CLOSE.digest())) {
				return this.close;
			}
			return CompletableFuture.completedFuture(command.startsWith("WAIT") ? 1L : "");
		}

		@Override
		public SubscribedConnection listen(Node node, Login login, String channel, Consumer<String> messages,
				Runnable lost) {
			if (!this.listening) {
				throw RedisFailure.refusal("NOPERM", null);
			}
			this.messages = messages;
			return new OpenEar();
		}

		@Override
		public void close() {
			this.mayFail.countDown();
		}

	}

	/** A subscription without messages. */
	private static final class OpenEar implements SubscribedConnection {

		@Override
		public boolean isOpen() {
			return true;
		}

		@Override
		public CompletionStage<?> ping() {
			return CompletableFuture.completedFuture("PONG");
		}

		@Override
		public void close() {
		}

	}

}
