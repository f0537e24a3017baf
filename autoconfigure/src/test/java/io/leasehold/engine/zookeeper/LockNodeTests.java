package io.leasehold.engine.zookeeper;

import io.leasehold.engine.AcquisitionOutcome.Granted;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

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

	private static Stat stat(long number, long session) {
		Stat stat = new Stat();
		stat.setCzxid(number);
		stat.setEphemeralOwner(session);
		return stat;
	}

}
