package io.leasehold.engine.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LateRequests}.
 */
class LateRequestsTests {

	private final Member member = Member.of("shop");

	private final LateRequests late = new LateRequests();

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

	private Claim claim(int key) {
		return new Claim(new LockKey("k" + key), this.member.newOwner(), Duration.ofSeconds(30), Duration.ZERO, false,
				0);
	}

}
