package io.leasehold.engine.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.engine.AcquisitionOutcome.Granted;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class LockNodeTests {

	private final LockNode node = new LockNode("/k/_c_1:x:0000000000", 7, 3, true);

	@Test
	void nameIsTheLastSegmentOfThePath() {
		assertThat(this.node.name()).isEqualTo("_c_1:x:0000000000");
	}

	/** A grant that lingers has 32 numbers. */
	@Test
	void numbersOfATransactionEndBeforeThoseOfTheNextOne() {
		assertThat(this.node.number()).isEqualTo(7 * 32);
		assertThat(this.node.number() + Granted.RESERVED).isLessThan(LockNode.number(8));
	}

	/** A transaction id is the number of a leader election and a counter of 32 bits. */
	@Test
	void tokensAreEnoughForAMillionElections() {
		LockNode last = new LockNode("/k/a", (1L << 20 << 32) - 1, 3, true);
		assertThat(last.hasTokens()).isTrue();
		assertThat((last.number() + Granted.RESERVED) * 64 + 63).isEqualTo(Long.MAX_VALUE);
		assertThat(new LockNode("/k/a", last.zxid() + 1, 3, true).hasTokens()).isFalse();
	}

	/** A path may be used again: by the same session, or by another one. */
	@Test
	void nodeIsKnownByItsNumberAndItsSession() {
		assertThat(this.node.is(stat(7, 3))).isTrue();
		assertThat(this.node.is(stat(8, 3))).isFalse();
		assertThat(this.node.is(stat(7, 4))).isFalse();
	}

	@Test
	void dataShowsTheTokenAndTheTimeSinceTheGrant() {
		Claim claim = new Claim(new LockKey("k"), Member.of("test").newOwner(), Duration.ofSeconds(30), Duration.ZERO,
				false, 0);
		byte[] data = LockNode.data(claim, Duration.ofMillis(1200));
		assertThat(LockNode.token(data)).isEqualTo(claim.owner().token());
		assertThat(LockNode.held(data)).isEqualTo(Duration.ofMillis(1200));
	}

	/** As of an operator who writes a node by hand. */
	@ParameterizedTest
	@ValueSource(strings = { "", "token", "token\n30000", "token\n30000\n", "token\n30000\n-1", "a\nb\nc",
			"a\nb\n99999999999999999999" })
	void dataOfOthersShowsNoTimeSinceTheGrant(String data) {
		assertThat(LockNode.held(data.getBytes(StandardCharsets.US_ASCII))).isZero();
		assertThat(LockNode.held(null)).isZero();
		assertThat(LockNode.token(null)).isEmpty();
	}

	private static Stat stat(long number, long session) {
		Stat stat = new Stat();
		stat.setCzxid(number);
		stat.setEphemeralOwner(session);
		return stat;
	}

}
