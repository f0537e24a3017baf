package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.RenewalOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redis.connection.Script;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the connections of a {@link RedisLockEngine}, and for what it makes of
 * responses.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisLockEngineTests extends RedisEngineFixture {

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
			.startsWith("EVAL " + Scripts.CLOSE.publishing().text())
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

}
