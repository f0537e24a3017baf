package io.leasehold.engine.redis.connection;

import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class SlotMapTests {

	@ParameterizedTest
	@CsvSource({ "foo, 12182", "123456789, 12739", "{user1000}.following, 3443", "{user1000}.followers, 3443",
			"foo{}{bar}, 8363", "foo{{bar}}zap, 4015", "foo{bar}{zap}, 5061", "foo{bar, 15278", "}{foo}, 12182" })
	void slotIsThatOfTheSpecification(String key, int slot) {
		assertThat(SlotMap.slot(key)).isEqualTo(slot);
	}

	@Test
	void rangesAreRead() {
		SlotMap map = SlotMap.parse(List.of(List.of(0L, 99L, List.of("a", 1L, "id")),
				List.of(100L, 100L, List.of("b", 2L), List.of("c", 3L))), new Node("z", 9));
		assertThat(map.primary(99)).isEqualTo(new Node("a", 1));
		assertThat(map.primary(100)).isEqualTo(new Node("b", 2));
		assertThat(map.primary(101)).isNull();
		assertThat(map.primaries()).containsExactlyInAnyOrder(new Node("a", 1), new Node("b", 2));
	}

	@Test
	void nodeWithoutANameIsTheOneThatWasAsked() {
		SlotMap map = SlotMap.parse(List.of(List.of(0L, 0L, Arrays.asList(null, 7L)), List.of(1L, 1L, List.of("", 8L))),
				new Node("z", 9));
		assertThat(map.primary(0)).isEqualTo(new Node("z", 7));
		assertThat(map.primary(1)).isEqualTo(new Node("z", 8));
	}

	/** A node that should be named by its host name, but has none. */
	@Test
	void nodeWithoutAHostNameHasItsAddress() {
		SlotMap map = SlotMap.parse(
				List.of(List.of(0L, 0L, List.of("?", 7L, "id", List.of("ip", "10.0.0.7"))),
						List.of(1L, 1L, List.of("?", 8L, "id", List.of())), List.of(2L, 2L, List.of("?", 9L))),
				new Node("z", 9));
		assertThat(map.primary(0)).isEqualTo(new Node("10.0.0.7", 7));
		assertThat(map.primary(1)).isEqualTo(new Node("?", 8));
		assertThat(map.primary(2)).isEqualTo(new Node("?", 9));
	}

	@Test
	void slotThatMovedHasItsNewPrimary() {
		SlotMap map = SlotMap.parse(List.of(List.of(0L, 1L, List.of("a", 1L))), new Node("z", 9));
		map.moved(1, new Node("b", 2));
		assertThat(map.primary(0)).isEqualTo(new Node("a", 1));
		assertThat(map.primary(1)).isEqualTo(new Node("b", 2));
	}

}
