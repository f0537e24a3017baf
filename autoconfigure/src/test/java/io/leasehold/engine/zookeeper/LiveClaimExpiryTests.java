package io.leasehold.engine.zookeeper;

import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import io.leasehold.test.contract.Fault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A claim whose lease ends while a request for it is answered: the sweeper removes its
 * node, or the claim is granted, never both.
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

}
