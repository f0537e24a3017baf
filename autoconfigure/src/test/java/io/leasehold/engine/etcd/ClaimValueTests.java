package io.leasehold.engine.etcd;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClaimValue}.
 */
class ClaimValueTests {

	@Test
	void restOfTheMinimumHoldIsTheFourthLine() {
		assertThat(ClaimValue.rest("token\n1\n2\n7")).isEqualTo(Duration.ofMillis(7));
		assertThat(ClaimValue.rest("token\n1\n2\nlease")).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "foreign", "token\n1", "token\n1\n2", "token\n1\n2\nmany", "token\n1\n2\n7 s" })
	void valueThatLeaseholdDidNotWriteHasNoMinimumHold(String value) {
		assertThat(ClaimValue.rest(value)).isZero();
		assertThat(ClaimValue.isHeldByLease(value)).isFalse();
		assertThat(ClaimValue.isClosed(value)).isFalse();
	}

}
