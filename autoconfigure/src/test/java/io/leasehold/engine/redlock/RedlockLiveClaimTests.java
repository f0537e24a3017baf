package io.leasehold.engine.redlock;

import java.util.concurrent.ConcurrentHashMap;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.leasehold.LockKey;
import io.leasehold.LockMode;
import io.leasehold.LockTerms;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.engine.redis.connection.Line;
import io.leasehold.engine.redis.connection.RedisFailure;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LiveClaim}.
 */
class RedlockLiveClaimTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private final Master master = new Master(null, null, null, RedlockOpener.settings("ns"), null,
			new ConcurrentHashMap<>());

	private final Line line = line();

	private final LiveClaim claim = new LiveClaim(
			new Claim(new LockKey("k"), Member.of("test").newOwner(), Duration.ofSeconds(30), Duration.ZERO, false, 0),
			"ns", false);

	private final CompletableFuture<Long> first = new CompletableFuture<>();

	private final CompletableFuture<Long> second = new CompletableFuture<>();

	@Test
	void requestWithoutAResponseMayArriveLaterThanThoseOfAnotherLine() {
		send(this.line, this.first);
		assertThat(this.claim.mayArriveLate(this.master, this.line)).isFalse();
		assertThat(this.claim.mayArriveLate(this.master, line())).isTrue();
		this.first.complete(1L);
		assertThat(this.claim.mayArriveLate(this.master, line())).isFalse();
	}

	@Test
	void responseToTheFirstOfTwoRequestsProvesNothingAboutTheSecond() {
		send(this.line, this.first);
		send(this.line, this.second);
		this.first.complete(1L);
		assertThat(this.claim.mayArriveLate(this.master, line())).isTrue();
		this.second.complete(1L);
		assertThat(this.claim.mayArriveLate(this.master, line())).isFalse();
	}

	@Test
	void requestOfABrokenLineMayArriveAfterTheResponseOfTheNextLine() {
		send(this.line, this.first);
		Line next = line();
		send(next, this.second);
		this.second.complete(1L);
		assertThat(this.claim.mayArriveLate(this.master, next)).isTrue();
	}

	@Test
	void requestThatWasNeverSentDoesNotArriveLate() {
		send(this.line, this.first);
		this.first.completeExceptionally(RedisFailure.neverSent(RedisFailure.noResponse("broken", null)));
		send(this.line, this.second);
		this.second.completeExceptionally(RedisFailure.noResponse("no response", null));
		assertThat(this.claim.mayArriveLate(this.master, this.line)).isFalse();
		assertThat(this.claim.mayArriveLate(this.master, line())).isTrue();
	}

	@Test
	void requestOfAnEarlierRoundIsNotSent() {
		long round = this.claim.nextRound();
		this.claim.nextRound();
		assertThat(this.claim.send(this.master, this.line, round, () -> this.first)).isCompletedExceptionally();
		assertThat(this.claim.mayBeKnownTo(this.master)).isFalse();
	}

	@Test
	void claimIsGrantedUntilItIsRequestedOrReleasedAgain() {
		assertThat(this.claim.isGranted()).isFalse();
		long round = this.claim.nextRound();
		assertThat(this.claim.isGranted()).isFalse();
		this.claim.granted(round);
		assertThat(this.claim.isGranted()).isTrue();
		long released = this.claim.nextRound();
		assertThat(this.claim.isGranted()).isFalse();
		this.claim.granted(round); // by a thread that was slower than the release
		assertThat(this.claim.isGranted()).isFalse();
		assertThat(released).isNotEqualTo(this.claim.grantRound());
	}

	@Test
	void endOfAnEarlierRoundIsNotSent() {
		long ended = this.claim.nextRound();
		assertThat(this.claim.sendAfter(ended, () -> this.first, 7L)).isSameAs(this.first);
		this.claim.nextRound();
		assertThat(this.claim.sendAfter(ended, () -> this.first, 7L)).isCompletedWithValue(7L);
	}

	@Test
	void grantLastsForLeaseAndLockDelayOrForItsMinimumHold() {
		assertThat(claim(SECOND, SECOND.multipliedBy(2), SECOND).lifetime()).isEqualTo(SECOND.multipliedBy(2));
		assertThat(claim(SECOND, SECOND.multipliedBy(3), SECOND).lifetime()).isEqualTo(SECOND.multipliedBy(3));
		assertThat(claim(SECOND, Duration.ZERO, SECOND).lifetime()).isEqualTo(SECOND.multipliedBy(2));
	}

	/** The next holder in this process may have a longer lease. */
	@Test
	void grantLastsForTheLongestLeaseThatWasRenewed() {
		LiveClaim renewed = claim(SECOND, Duration.ZERO, SECOND);
		renewed.renewing(SECOND.multipliedBy(5));
		renewed.renewing(SECOND.multipliedBy(3));
		assertThat(renewed.lifetime()).isEqualTo(SECOND.multipliedBy(6));
	}

	@Test
	void endedClaimIsOverWhenItsGrantsAndLateRequestsHaveExpired() {
		LiveClaim brief = claim(Duration.ofMillis(1), Duration.ZERO, Duration.ZERO);
		assertThat(brief.isOver()).isFalse();
		brief.end(Duration.ZERO);
		await().until(brief::isOver);
		this.claim.end(Duration.ZERO);
		assertThat(this.claim.isOver()).isFalse();
	}

	@Test
	void pollsAreCounted() {
		assertThat(this.claim.poll()).isZero();
		assertThat(this.claim.poll()).isOne();
	}

	@Test
	void ageCountsFromTheGrant() {
		this.claim.granted(this.claim.nextRound());
		assertThat(this.claim.sinceGrant()).isBetween(Duration.ZERO, Duration.ofHours(1));
	}

	private static LiveClaim claim(Duration lease, Duration minHold, Duration lockDelay) {
		LockTerms terms = new LockTerms(LockMode.EXCLUSIVE, 0, lease, minHold, lockDelay);
		return new LiveClaim(new Claim(new LockKey("k"), Member.of("test").newOwner(), terms, false, 0), "ns", false);
	}

	private void send(Line line, CompletableFuture<Long> response) {
		this.claim.send(this.master, line, this.claim.nextRound(), () -> response);
	}

	private static Line line() {
		return new Line(null, null, Duration.ZERO);
	}

}
