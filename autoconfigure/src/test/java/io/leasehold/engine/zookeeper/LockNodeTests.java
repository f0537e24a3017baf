package io.leasehold.engine.zookeeper;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockNodeTests {

	private static final LockNode NODE = new LockNode("/leasehold/n/k/_c_b-2:0000000012", 1, 1);

	@Test
	void numberOfTheServerDecidesAndNotTheRestOfTheName() {
		List<String> names = List.of("_c_z-1:0000000009", "_c_a-3:0000000013", "_c_b-2:0000000012",
				"_c_c-0:0000000003");
		assertThat(NODE.predecessor(names)).isEqualTo("_c_z-1:0000000009");
		assertThat(LockNode.lowest(names)).isEqualTo("_c_c-0:0000000003");
	}

	@Test
	void lowestNodeHasNobodyBefore() {
		assertThat(NODE.predecessor(List.of("_c_a-3:0000000013", "_c_b-2:0000000012"))).isNull();
	}

	@Test
	void numbersMayOverflow() {
		LockNode overflown = new LockNode("/leasehold/n/k/_c_b-2:-2147483648", 1, 1);
		List<String> names = List.of("_c_b-2:-2147483648", "_c_a-1:2147483647");
		assertThat(overflown.predecessor(names)).isEqualTo("_c_a-1:2147483647");
		assertThat(LockNode.lowest(names)).isEqualTo("_c_a-1:2147483647");
	}

	@Test
	void nobodyHasAFreeKey() {
		assertThat(LockNode.lowest(List.of())).isNull();
	}

}
