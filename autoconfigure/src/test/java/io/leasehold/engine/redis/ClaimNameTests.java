package io.leasehold.engine.redis;

import io.leasehold.test.contract.Terms;
import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.engine.Access;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClaimName}.
 */
class ClaimNameTests {

	private static final Duration NONE = Duration.ZERO;

	@Test
	void claimOnTheKeyAloneIsNamedByItsToken() {
		Claim claim = claim(Access.EXCLUSIVE, NONE, NONE);
		assertThat(ClaimName.of(claim)).isEqualTo(claim.owner().token());
	}

	@Test
	void nameOfAnyOtherClaimSaysWhatItAsksFor() {
		assertThat(ClaimName.of(claim(Access.SHARED, NONE, NONE))).endsWith("#s,0,0");
		assertThat(ClaimName.of(claim(Access.permits(3), NONE, NONE))).endsWith("#3,0,0");
		assertThat(ClaimName.of(claim(Access.EXCLUSIVE, Duration.ofSeconds(1), NONE))).endsWith("#x,1000,0");
		assertThat(ClaimName.of(claim(Access.EXCLUSIVE, NONE, Duration.ofSeconds(2)))).endsWith("#x,0,2000");
	}

	@Test
	void lockDelayIsReadFromTheName() {
		assertThat(ClaimName.lockDelay(ClaimName.of(claim(Access.EXCLUSIVE, NONE, Duration.ofSeconds(2)))))
			.isEqualTo(Duration.ofSeconds(2));
		assertThat(ClaimName.lockDelay("token")).isZero();
		assertThat(ClaimName.lockDelay("#x,17")).isZero();
	}

	private static Claim claim(Access access, Duration minHold, Duration lockDelay) {
		return new Claim(new LockKey("k"), Member.of("shop").newOwner(),
				Terms.of(access, Duration.ofSeconds(30), minHold, lockDelay), false, 0);
	}

}
