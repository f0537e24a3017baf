package io.leasehold.engine.zookeeper;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import io.leasehold.engine.support.SessionClaim;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The end of a claim's lease, also while a request for it is in flight: the sweeper
 * removes its node, or the claim is granted, never both. The end of its session.
 */
class LiveClaimExpiryTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final LiveClaim live = new LiveClaim(
			new Claim(new LockKey("a"), Member.of("test").newOwner(), LEASE, Duration.ZERO, false, 0), "1", "/a");

	@Fault(141)
	@Test
	void claimThatExpiredIsGrantedNoMore() {
		assertThat(this.live.grant(0, LEASE)).isNotNull();
		assertThat(this.live.expire(LEASE.toNanos())).isTrue();
		assertThat(this.live.grant(LEASE.toNanos(), LEASE)).isNull();
		assertThat(this.live.isHeld()).isFalse();
		assertThat(this.live.hasExpired()).isTrue();
	}

	@Fault(141)
	@Test
	void claimThatWasGrantedAgainDoesNotExpire() {
		this.live.grant(0, LEASE);
		this.live.grant(LEASE.toNanos(), LEASE);
		assertThat(this.live.expire(LEASE.toNanos())).isFalse();
		assertThat(this.live.isHeld()).isTrue();
	}

	@Test
	void claimThatWasReleasedHasNotExpired() {
		this.live.grant(0, LEASE);
		this.live.end(1);
		assertThat(this.live.expire(LEASE.toNanos())).isTrue();
		assertThat(this.live.hasExpired()).isFalse();
	}

	/** The lease may have ended a moment before its node is removed. */
	@Test
	void claimThatIsReleasedAfterItsLeaseHasExpired() {
		this.live.grant(0, LEASE);
		this.live.end(LEASE.toNanos());
		assertThat(this.live.hasExpired()).isTrue();
	}

	@Test
	void removalIsDueAgainAfterEachPause() {
		this.live.grant(0, LEASE);
		long due = LEASE.toNanos();
		long pause = SessionClaim.REMOVAL_PAUSE.toNanos();
		assertThat(this.live.expire(due)).isTrue();
		assertThat(this.live.expire(due + pause - 1)).isFalse();
		assertThat(this.live.expire(due + pause)).isTrue();
		assertThat(this.live.expire(due + 2 * pause - 1)).isFalse();
	}

	/** Times of a monotonic clock may be negative. */
	@Test
	void leaseCountsFromTheRequestWhateverItsTime() {
		long sent = -100 * LEASE.toNanos();
		assertThat(this.live.grant(sent, LEASE)).isEqualTo(MonotonicClock.validUntil(sent, LEASE));
		assertThat(this.live.isLeaseOver(sent + LEASE.toNanos() - 1)).isFalse();
		assertThat(this.live.isLeaseOver(sent + LEASE.toNanos())).isTrue();
	}

	@Test
	void laterRequestExtendsTheLease() {
		long sent = -100 * LEASE.toNanos();
		this.live.grant(sent, LEASE);
		assertThat(this.live.grant(sent + 1000, LEASE)).isEqualTo(MonotonicClock.validUntil(sent + 1000, LEASE));
		assertThat(this.live.isLeaseOver(sent + LEASE.toNanos())).isFalse();
		assertThat(this.live.isLeaseOver(sent + 1000 + LEASE.toNanos())).isTrue();
	}

	@Test
	void shorterLeaseShortensNothing() {
		this.live.grant(1000, LEASE);
		assertThat(this.live.grant(2000, LEASE.dividedBy(2))).isEqualTo(MonotonicClock.validUntil(1000, LEASE));
		assertThat(this.live.isLeaseOver(999 + LEASE.toNanos())).isFalse();
		assertThat(this.live.isLeaseOver(1000 + LEASE.toNanos())).isTrue();
	}

	/** A request for it may still be under way, and be carried out. */
	@Test
	void claimThatEndsWithoutAGrantIsRemovedAgainAfterItsLease() {
		assertThat(this.live.expire(Long.MAX_VALUE)).isFalse();
		this.live.end(1000);
		this.live.end(2000);
		assertThat(this.live.expire(999 + LEASE.toNanos())).isFalse();
		assertThat(this.live.expire(1000 + LEASE.toNanos())).isTrue();
		assertThat(this.live.hasExpired()).isFalse();
	}

	/** ... and not before, however early it was released. */
	@Test
	void releaseDoesNotMoveTheEndOfAGrantedLease() {
		this.live.grant(0, LEASE);
		this.live.end(1000);
		assertThat(this.live.isLeaseOver(LEASE.toNanos())).isTrue();
	}

	@Test
	void creationCountsUntilItsSessionIsOverOrItFails() throws TimeoutException {
		CompletableFuture<LockNode> creation = new CompletableFuture<>();
		this.live.create(1, () -> creation);
		this.live.discardUnless(2);
		assertThat(this.live.discardWithoutResponse(1)).isNull();
		assertThat(this.live.creation()).isSameAs(creation);
		assertThat(this.live.node()).isNull();
		creation.complete(new LockNode("/a/1", 7, 1, true));
		assertThat(this.live.discardWithoutResponse(2)).isNull();
		this.live.discardUnless(1);
		assertThat(this.live.node()).isNotNull();
		assertThat(this.live.hasStrays()).isFalse();
		this.live.discardUnless(2);
		assertThat(this.live.creation()).isNull();
		assertThat(this.live.hasStrays()).isTrue();
	}

	@Test
	void failedCreationIsForgottenInTheSameSession() throws TimeoutException {
		this.live.create(1, () -> CompletableFuture.failedFuture(new IllegalStateException()));
		assertThat(this.live.node()).isNull();
		this.live.discardUnless(1);
		assertThat(this.live.creation()).isNull();
	}

	@Fault(146)
	@Test
	void onlyAPendingCreationOfAFormerSessionIsForgotten() throws TimeoutException {
		CompletableFuture<LockNode> first = new CompletableFuture<>();
		this.live.create(1, () -> first);
		assertThat(this.live.discardWithoutResponse(2)).isSameAs(first);
		assertThat(this.live.hasStrays()).isTrue();
		assertThat(this.live.discardWithoutResponse(2)).isNull();
		CompletableFuture<LockNode> second = new CompletableFuture<>();
		this.live.create(2, () -> second);
		assertThat(this.live.discardWithoutResponse(2)).isNull();
		assertThat(this.live.creation()).isSameAs(second);
	}

	@Test
	void removalIsRepeatedIfItFailsOrItsSessionEndsWithoutAResponse() {
		AtomicInteger begun = new AtomicInteger();
		CompletableFuture<ReleaseOutcome> noResponse = new CompletableFuture<>();
		CompletableFuture<ReleaseOutcome> failed = CompletableFuture.failedFuture(new IllegalStateException());
		CompletableFuture<ReleaseOutcome> responded = CompletableFuture.completedFuture(ReleaseOutcome.RELEASED);
		Supplier<CompletableFuture<ReleaseOutcome>> remover = () -> List.of(noResponse, failed, responded)
			.get(begun.getAndIncrement());
		assertThat(this.live.removal(1, remover)).isSameAs(noResponse);
		assertThat(this.live.removal(1, remover)).isSameAs(noResponse);
		assertThat(this.live.removal(2, remover)).isSameAs(failed);
		assertThat(this.live.removal(2, remover)).isSameAs(responded);
		assertThat(this.live.removal(3, remover)).isSameAs(responded);
		assertThat(begun).hasValue(3);
	}

	@Test
	void storeMayHaveANodeOnceItWasRequested() throws TimeoutException {
		assertThat(this.live.mayHaveNodes()).isFalse();
		this.live.create(1, CompletableFuture::new);
		assertThat(this.live.mayHaveNodes()).isTrue();
		this.live.discard();
		assertThat(this.live.mayHaveNodes()).isTrue();
	}

	@Test
	void claimThatEndedCreatesNoNode() {
		this.live.end(0);
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> this.live.create(1, CompletableFuture::new))
			.withMessageStartingWith("the claim has ended");
		assertThat(this.live.mayHaveNodes()).isFalse();
	}

	@Fault(141)
	@Test
	void claimThatExpiredCreatesNoNode() {
		this.live.grant(0, LEASE);
		this.live.expire(LEASE.toNanos());
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> this.live.create(1, CompletableFuture::new))
			.withMessageStartingWith("the claim has ended");
		assertThat(this.live.mayHaveNodes()).isFalse();
	}

	@Test
	void sessionLimitsTheLease() {
		Connection connection = new Connection(0, 1, LEASE.multipliedBy(4));
		long limit = MonotonicClock.validUntil(-5000, LEASE.multipliedBy(3));
		assertThat(connection.earlier(limit + 1, -5000)).isEqualTo(limit);
		assertThat(connection.earlier(limit - 1, -5000)).isEqualTo(limit - 1);
	}

}
