package io.leasehold.engine.zookeeper;

import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockNodeTests {

	private final LockNode node = new LockNode("/k/_c_1:x:0000000000", 7, 3, true);

	@Test
	void nameIsTheLastSegmentOfThePath() {
		assertThat(this.node.name()).isEqualTo("_c_1:x:0000000000");
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
