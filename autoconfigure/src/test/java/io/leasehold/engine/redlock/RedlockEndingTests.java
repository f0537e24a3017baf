package io.leasehold.engine.redlock;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome.Busy;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.redis.connection.RedisFailure;
import org.junit.jupiter.api.Test;

import static io.leasehold.engine.redlock.ScriptedMasters.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Ending}, with responses that the test decides.
 */
class RedlockEndingTests extends RedlockVotesFixture {

	@Test
	void releaseFollowsTheMajority() {
		this.masters.get(0).on(Scripts.RELEASE, (request) -> response(List.of(1L, 15L)));
		this.masters.get(1).on(Scripts.RELEASE, (request) -> response(List.of(1L, 9L)));
		this.masters.get(2).on(Scripts.RELEASE, (request) -> response(List.of(0L, 0L)));
		this.engine.tryAcquire(this.claim);
		assertThat(this.engine.release(this.claim)).isEqualTo(released(15));
		assertThat(this.engine.liveClaims()).isZero();
	}

	@Test
	void successorIsWaitedForUntilItWasNotifiedAtMost() {
		this.masters.get(1).on(Scripts.RELEASE, (request) -> response(List.of(1L, 100_000L)));
		this.engine.tryAcquire(this.claim);
		assertThat(this.engine.release(this.claim)).isEqualTo(released(25));
	}

	@Test
	void releaseThatOnlyAMinorityConfirmsIsALossUnlessOthersAreSilent() {
		this.masters.get(0).on(Scripts.RELEASE, (request) -> response(List.of(0L, 0L)));
		this.masters.get(1).on(Scripts.RELEASE, (request) -> response(List.of(0L, 0L)));
		this.engine.tryAcquire(this.claim);
		assertThat(this.engine.release(this.claim)).isEqualTo(new ReleaseOutcome.NotOwner());
		Claim next = this.masters.claim("k");
		this.engine.tryAcquire(next);
		this.masters.get(1).on(Scripts.RELEASE, (request) -> ScriptedMasters.lost());
		assertThat(this.engine.release(next)).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/** The marker lasts for the third argument. */
	@Test
	void markerIsLeftWhereARequestMayArriveLate() {
		this.masters.get(2).on(Scripts.ACQUIRE, (request) -> ScriptedMasters.lost());
		this.engine.tryAcquire(this.claim);
		this.masters.get(2).disconnect();
		this.engine.release(this.claim);
		assertThat(marker(0)).isZero();
		await().until(() -> marker(2) > 60_000);
	}

	@Test
	void markerIsLeftWhereARequestOfABusyClaimMayArriveLate() {
		Claim waiting = this.masters.claim("k", true);
		IntStream.of(0, 1)
			.forEach((i) -> this.masters.get(i)
				.on(Scripts.ACQUIRE, (request) -> response(List.of("busy", "another", "10000"))));
		this.masters.get(2).on(Scripts.ACQUIRE, (request) -> ScriptedMasters.lost());
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Busy.class);
		this.masters.get(2).disconnect();
		IntStream.range(0, 3)
			.forEach((i) -> this.masters.get(i).on(Scripts.ACQUIRE, (request) -> response(List.of("granted", "7"))));
		assertThat(this.engine.tryAcquire(waiting)).isInstanceOf(Granted.class);
		this.engine.release(waiting);
		assertThat(marker(0)).isZero();
		await().until(() -> marker(2) > 60_000);
		assertThat(this.engine.liveClaims()).isZero();
	}

	@Test
	void masterThatNeverReceivedTheClaimDoesNotReceiveItsEnd() {
		this.masters.get(2).fails(RedisFailure.noResponse("unreachable", null));
		this.masters.get(2).disconnect();
		int attempts = this.masters.get(2).attempts();
		this.engine.tryAcquire(this.claim);
		await().until(() -> this.masters.get(2).attempts() > attempts);
		this.masters.get(2).fails(null);
		assertThat(this.engine.release(this.claim)).isEqualTo(released(0));
		assertThat(sent(Scripts.RELEASE)).containsExactly(1, 1, 0);
	}

	private long marker(int master) {
		return this.masters.get(master)
			.requests(Scripts.RELEASE)
			.stream()
			.mapToLong((request) -> Long.parseLong(request.arguments().get(2)))
			.sum();
	}

	private static ReleaseOutcome released(long standBack) {
		return new ReleaseOutcome.Released(Duration.ofMillis(standBack));
	}

}
