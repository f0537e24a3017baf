package io.leasehold.engine.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.leasehold.LockEngineException;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.redis.RedisEngines.TestMember;
import io.leasehold.engine.redis.connection.RedisFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Scripts that {@link RedisLockEngine} sends, one after the other.
 */
@ExtendWith(OutputCaptureExtension.class)
class RedisEngineRequestsTests extends RedisEngineFixture {

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
	void releaseThatFindsNothingIsNotOfTheOwner() {
		TestMember member = member(0);
		Claim claim = member.claim("k");
		member.granted(claim);
		this.servers.close = CompletableFuture.completedFuture(0L);
		assertThat(member.engine().release(claim)).isInstanceOf(ReleaseOutcome.NotOwner.class);
	}

	/** A waiter may give up while the claim is being subscribed. */
	@Test
	void subscriptionOfAReleasedClaimLeavesNothing() {
		TestMember member = member(0);
		this.servers.acquire = CompletableFuture.completedFuture(List.of("busy", "5", 30L));
		Claim claim = member.waiting("k");
		assertThat(member.engine().tryAcquire(claim)).isInstanceOf(AcquisitionOutcome.Busy.class);
		assertThat(member.engine().liveClaims()).isOne();
		member.engine().release(claim);
		member.engine().subscribe(claim, (signal) -> {
		}).close();
		assertThat(member.engine().liveClaims()).isZero();
	}

	@Test
	void freeLockIsAcquiredByOneRequest() {
		this.servers.free = "7";
		TestMember member = member(0);
		assertThat(member.granted(member.claim("k"))).isEqualTo(7);
		assertThat(member.engine().liveClaims()).isZero();
		assertThat(scripts()).containsExactly(Scripts.ACQUIRE_FREE.digest());
	}

	/** A repeated request may have to find its own grant. */
	@Test
	void repeatedRequestIsTheWholeScript() {
		TestMember member = member(0);
		Claim claim = member.waiting("k");
		this.servers.acquire = CompletableFuture.failedFuture(RedisFailure.noResponse("timeout", null));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> member.engine().tryAcquire(claim));
		assertThatExceptionOfType(LockEngineException.class).isThrownBy(() -> member.engine().tryAcquire(claim));
		assertThat(scripts()).containsExactly(Scripts.ACQUIRE_FREE.digest(), Scripts.ACQUIRE.publishing().digest(),
				Scripts.ACQUIRE.publishing().digest());
	}

	@Test
	void lockThatWasBusyIsRequestedByTheWholeScriptUntilItIsFreeAgain() {
		TestMember member = member(0);
		this.servers.acquire = CompletableFuture.completedFuture(List.of("busy", "5", 30L));
		retryIn(member);
		retryIn(member);
		this.servers.acquire = CompletableFuture.completedFuture(List.of("granted", "6"));
		member.granted(member.claim("k"));
		member.granted(member.claim("k"));
		assertThat(scripts()).containsExactly(Scripts.ACQUIRE_FREE.digest(), Scripts.ACQUIRE.publishing().digest(),
				Scripts.ACQUIRE.publishing().digest(), Scripts.ACQUIRE.publishing().digest(),
				Scripts.ACQUIRE_FREE.digest(), Scripts.ACQUIRE.publishing().digest());
	}

	@Test
	void lockWhoseReleaseFoundOtherClaimsIsRequestedByTheWholeScript() {
		TestMember member = member(0);
		Claim claim = member.claim("k");
		member.granted(claim);
		assertThat(member.engine().release(claim)).isEqualTo(ReleaseOutcome.RELEASED);
		member.granted(member.claim("k"));
		assertThat(scripts()).endsWith(Scripts.RELEASE_SOLE.digest(), Scripts.CLOSE.publishing().digest(),
				Scripts.ACQUIRE.publishing().digest());
	}

	@Test
	void claimWithAMinimumHoldIsLeftToTheWholeScripts() {
		TestMember member = member(0);
		Claim plain = member.claim("k");
		Claim claim = new Claim(plain.key(), plain.owner(), plain.lease(), Duration.ofSeconds(1), false,
				MonotonicClock.SYSTEM.nanoTime());
		member.granted(claim);
		member.engine().release(claim);
		assertThat(scripts()).containsExactly(Scripts.ACQUIRE.publishing().digest(),
				Scripts.CLOSE.publishing().digest());
	}

	/** Digests of the scripts that were requested. */
	private List<String> scripts() {
		return this.servers.opened.stream()
			.flatMap((connection) -> connection.sent().stream())
			.filter((command) -> command.startsWith("EVALSHA "))
			.map((command) -> command.split(" ")[1])
			.toList();
	}

}
