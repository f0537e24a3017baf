package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.leasehold.LockEngineException;
import io.leasehold.engine.Claim;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.redis.ScriptedConnection;
import io.leasehold.engine.redis.connection.RedisFailure;
import io.leasehold.engine.redlock.ScriptedMasters.Request;
import io.leasehold.engine.redlock.ScriptedMasters.Scripted;
import io.leasehold.test.contract.Pace;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static io.leasehold.engine.redlock.ScriptedMasters.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Master} and {@link Masters}, with responses that the test decides.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedlockMasterTests {

	private static final RedisFailure UNREACHABLE = RedisFailure.noResponse("unreachable", null);

	private final ScriptedMasters masters = new ScriptedMasters(3);

	private final Scripted third = this.masters.get(2);

	private RedlockLockEngine engine = this.masters.engine();

	@AfterEach
	void close() {
		this.engine.close();
	}

	@Test
	void unreachableMasterIsReportedOnceForEachTime(CapturedOutput output) {
		ScriptedMasters reported = new ScriptedMasters("reported", 3);
		this.engine.close();
		this.engine = reported.engine();
		Scripted last = reported.get(2);
		last.fails(UNREACHABLE);
		await().until(() -> turn() && last.attempts() > 2);
		assertThat(output).containsOnlyOnce("Redis master reported2:1 is not available to Redlock: unreachable");
		last.fails(null);
		await().until(() -> turn() && !last.requests(Scripts.ACQUIRE).isEmpty());
		assertThat(output).containsOnlyOnce("Redis master reported2:1 can be reached again")
			.doesNotContain("reported0:1", "reported1:1");
		last.fails(RedisFailure.noResponse("unreachable again", null));
		last.disconnect();
		await().until(() -> turn() && output.toString().contains("not available to Redlock: unreachable again"));
	}

	/** Requests that follow each other closely do not connect each time. */
	@Test
	void unreachableMasterIsNotConnectedToForEachRequest() {
		this.third.fails(UNREACHABLE);
		for (int i = 0; i < 200; i++) {
			this.engine.checkMasters(); // waits for each
		}
		assertThat(this.third.attempts()).isLessThan(200);
	}

	@Test
	void requestThatWasNeverSentIsRepeatedOnce() {
		this.engine.checkMasters();
		this.masters.get(0).on(Scripts.ACQUIRE, (request) -> ScriptedMasters.lost());
		this.third.on(Scripts.ACQUIRE, (request) -> (this.third.requests(Scripts.ACQUIRE).size() % 2 == 1)
				? ScriptedMasters.neverSent() : response(List.of("granted", "7")));
		assertThat(turn()).isTrue();
		assertThat(this.third.requests(Scripts.ACQUIRE)).hasSize(2);
	}

	@Test
	void requestWithoutAResponseIsNotRepeated() {
		this.engine.checkMasters();
		this.third.on(Scripts.ACQUIRE, (request) -> ScriptedMasters.lost());
		turn();
		assertThat(this.third.requests(Scripts.ACQUIRE)).hasSize(1);
	}

	@Test
	void unknownScriptIsSentAsText() {
		this.engine.checkMasters();
		this.third.on(Scripts.ACQUIRE, (request) -> request.isText() ? response(List.of("granted", "7"))
				: ScriptedConnection.refusal("NOSCRIPT No matching script"));
		turn();
		assertThat(this.third.requests(Scripts.ACQUIRE)).extracting(Request::isText).containsExactly(false, true);
		this.third.on(Scripts.ACQUIRE, (request) -> ScriptedConnection.refusal("OOM out of memory"));
		turn();
		assertThat(this.third.requests(Scripts.ACQUIRE)).extracting(Request::isText)
			.as("other rejections")
			.containsExactly(false, true, false);
	}

	/**
	 * A master that rejects requests cannot help to decide: its responses, which may be
	 * slow, are not awaited until it has accepted a request.
	 */
	@Test
	void masterWhoseLastRequestFailedIsNotAwaited() {
		this.engine.checkMasters();
		this.third.on(Scripts.ACQUIRE, (request) -> ScriptedConnection.refusal("OOM out of memory"));
		this.third.on(Scripts.RELEASE, (request) -> ScriptedConnection.refusal("OOM out of memory"));
		turn();
		this.third.on(Scripts.ACQUIRE, (request) -> ScriptedMasters.NO_RESPONSE);
		this.masters.get(0).on(Scripts.ACQUIRE, (request) -> response(List.of("granted", "8")));
		Claim claim = this.masters.claim("k");
		Pace pace = Pace.begin();
		assertThat(this.engine.tryAcquire(claim)).isInstanceOf(Granted.class);
		assertThat(pace.elapsed()).as("without waiting for the timeout").isLessThan(Duration.ofMinutes(1));
	}

	@Test
	void endWithoutAResponseIsRepeatedUntilItHasOne() {
		this.engine.checkMasters();
		this.third.on(Scripts.RELEASE, (request) -> ScriptedMasters.lost());
		turn();
		await().until(() -> this.third.requests(Scripts.RELEASE).size() > 2);
		AtomicInteger responses = new AtomicInteger();
		this.third.on(Scripts.RELEASE, (request) -> {
			responses.incrementAndGet();
			return response(List.of(1L, 0L));
		});
		await().until(() -> responses.get() == 1);
		await().pollDelay(Duration.ofMillis(400)).until(() -> turn());
		assertThat(responses).hasValue(2);
	}

	@Test
	void endIsRepeatedWithTheNextConnection() {
		this.engine.checkMasters();
		this.third.on(Scripts.RELEASE, (request) -> ScriptedMasters.lost());
		this.engine.tryAcquire(this.masters.claim("k"));
		this.third.fails(UNREACHABLE);
		this.third.disconnect();
		Claim claim = this.masters.claim("k2");
		this.engine.tryAcquire(claim);
		this.engine.release(claim);
		this.third.on(Scripts.RELEASE, (request) -> response(List.of(1L, 0L)));
		this.third.fails(null);
		await().until(() -> turn() && !this.third.requests(Scripts.RELEASE).isEmpty());
	}

	/** No other request connects to the master. */
	@Test
	void connectionForAnEndIsAttemptedUntilItSucceeds() {
		this.engine.checkMasters();
		Claim claim = this.masters.claim("k");
		this.engine.tryAcquire(claim);
		this.third.fails(UNREACHABLE);
		this.third.disconnect();
		this.engine.release(claim);
		int before = this.third.attempts();
		await().until(() -> this.third.attempts() > before + 2);
		assertThat(this.third.requests(Scripts.RELEASE)).isEmpty();
		this.third.on(Scripts.RELEASE, (request) -> response(List.of(1L, 0L)));
		this.third.fails(null);
		await().until(() -> !this.third.requests(Scripts.RELEASE).isEmpty());
	}

	@Test
	void masterThatStartedLatelyDoesNotCount(CapturedOutput output) {
		restartDelay(Duration.ofSeconds(2000));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(this::turn)
			.withMessageContaining("RESTARTED the server restarted and does not count for ")
			.withMessageContaining("only 0 of 3 masters responded and count");
		assertThat(output).contains("Redis master m2:1 started 999 s ago and may have lost locks. It does not count "
				+ "for 1001 s (leasehold.redlock.restart-delay)");
	}

	@Test
	void masterThatStartedLongAgoCounts(CapturedOutput output) {
		restartDelay(Duration.ofSeconds(999));
		assertThat(turn()).isTrue();
		assertThat(output).doesNotContain("may have lost locks");
	}

	/** The number of a master that has none begins at its start by its own clock. */
	@Test
	void startOfTheMasterIsPartOfTheRequest() {
		this.engine.checkMasters();
		turn();
		assertThat(this.third.requests(Scripts.ACQUIRE).get(0).arguments().get(6))
			.isEqualTo(Long.toString((1_000_000 - 999) * 1_000_000L));
	}

	@Test
	void serversWithTheSameIdentityAreRefused() {
		this.third.info("role:master\r\nrun_id:m0");
		assertThatIllegalStateException().isThrownBy(this.engine::checkMasters)
			.withMessageContaining(" are the same server")
			.withMessageContaining("m0:1")
			.withMessageContaining("m2:1");
	}

	/** As two proxies do that are confused during a failure. */
	@Test
	void addressesMayExchangeTheirServers() {
		this.engine.checkMasters();
		Scripted second = this.masters.get(1);
		second.info("role:master\r\nrun_id:m2");
		this.third.info("role:master\r\nrun_id:m1");
		second.disconnect();
		this.third.disconnect();
		await().ignoreExceptions()
			.until(() -> turn() && !second.requests(Scripts.ACQUIRE).isEmpty()
					&& !this.third.requests(Scripts.ACQUIRE).isEmpty());
	}

	/** Such as those of a service that hides it. */
	@Test
	void serversWithoutAnIdentityAreDifferent() {
		this.masters.get(0).info("role:master");
		this.third.info("role:master");
		this.engine.checkMasters();
		assertThat(turn()).isTrue();
	}

	@Test
	void unsuitableServerIsRefusedAndAnUnreachableOneIsNot() {
		this.third.fails(UNREACHABLE);
		this.engine.checkMasters();
		this.third.fails(null);
		this.third.info("role:active-replica\r\nrun_id:m2");
		await().untilAsserted(() -> assertThatIllegalStateException().isThrownBy(this.engine::checkMasters)
			.withMessage("m2:1 cannot be used: UNSUITABLE The server is a replica; Redlock needs independent masters "
					+ "without replicas"));
	}

	private void restartDelay(Duration delay) {
		this.engine.close();
		this.engine = this.masters.engine(RedlockOpener.settings("ns", delay, Duration.ofMinutes(1)));
		this.engine.checkMasters();
	}

	private boolean turn() {
		Claim claim = this.masters.claim("k");
		boolean granted = this.engine.tryAcquire(claim) instanceof Granted;
		this.engine.release(claim);
		return granted;
	}

}
