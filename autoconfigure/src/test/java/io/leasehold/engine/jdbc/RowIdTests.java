package io.leasehold.engine.jdbc;

import io.leasehold.LockKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RowId}.
 */
class RowIdTests {

	@Test
	void idsOfTheSameKeyAreEqual() {
		RowId id = id("ns", "a");
		assertThat(id).isEqualTo(id("ns", "a")).hasSameHashCodeAs(id("ns", "a")).isEqualByComparingTo(id("ns", "a"));
		assertThat(id).isNotEqualTo(id("ns", "b")).isNotEqualTo(id("other", "a")).isNotEqualTo("a");
	}

	private static RowId id(String namespace, String key) {
		return RowId.of(namespace, new LockKey(key));
	}

}
