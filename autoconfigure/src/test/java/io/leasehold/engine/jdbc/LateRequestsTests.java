package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.ManualClock;
import io.leasehold.engine.Member;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LateRequests}.
 */
class LateRequestsTests {

	private final Member member = Member.of("shop");

	private final ManualClock clock = new ManualClock();

	private final LateRequests late = new LateRequests(this.clock);

	@Test
	void lastRequestOfAClaimDecides() {
		Claim claim = claim(0);
		assertThat(this.late.until(claim)).isNull();
		this.late.add(claim, 10);
		this.late.add(claim, 5);
		assertThat(this.late.until(claim)).isEqualTo(10);
		this.late.add(claim, 20);
		assertThat(this.late.until(claim)).isEqualTo(20);
		this.late.remove(claim);
		assertThat(this.late.until(claim)).isNull();
	}

	@Test
	void noClaimIsForgottenBeforeItsLeaseHasEndedHoweverManyThereAre() {
		List<Claim> claims = IntStream.range(0, 200).mapToObj(this::claim).toList();
		claims.forEach((claim) -> this.late.add(claim, 10));
		assertThat(claims).allSatisfy((claim) -> assertThat(this.late.until(claim)).isEqualTo(10));
	}

	@Test
	void oldClaimsAreRemovedOnceThereAreMany() {
		List<Claim> claims = IntStream.range(0, LateRequests.FEW).mapToObj(this::claim).toList();
		claims.forEach((claim) -> this.late.add(claim, 10));
		this.clock.advance(claims.get(0).lease().plus(LateRequests.REMEMBERED));
		Claim recent = claim(-1);
		this.late.add(recent, 20);
		assertThat(claims).as("not yet old").allSatisfy((claim) -> assertThat(this.late.until(claim)).isEqualTo(10));
		this.clock.advance(Duration.ofNanos(1));
		this.late.add(claim(-2), 30);
		assertThat(claims).allSatisfy((claim) -> assertThat(this.late.until(claim)).isNull());
		assertThat(this.late.until(recent)).isEqualTo(20);
	}

	@Test
	void removalBeginsAtALimit() {
		List<Claim> claims = IntStream.range(0, LateRequests.FEW).mapToObj(this::claim).toList();
		claims.forEach((claim) -> this.late.add(claim, 10));
		this.clock.advance(Duration.ofHours(1));
		this.late.add(claim(-1), 10);
		assertThat(claims).allSatisfy((claim) -> assertThat(this.late.until(claim)).isNull());
	}

	private Claim claim(int key) {
		return new Claim(new LockKey("k" + key), this.member.newOwner(), Duration.ofSeconds(30), Duration.ZERO, false,
				0);
	}

}
