package io.leasehold.engine.etcd;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Holder;
import io.leasehold.engine.Member;
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
	@ValueSource(strings = { "", "\n", "\n\n\n\n\n", "foreign", "token\n1", "token\n1\n2", "token\n1\n2\nmany",
			"token\n1\n2\n7 s" })
	void valueThatLeaseholdDidNotWriteHasNoMinimumHold(String value) {
		assertThat(ClaimValue.rest(value)).isZero();
		assertThat(ClaimValue.isHeldByLease(value)).isFalse();
		assertThat(ClaimValue.isClosed(value)).isFalse();
		assertThat(ClaimValue.session(value)).isZero();
		assertThat(ClaimValue.holder(new KeyValue("key", 7, 8, 0, value)).application()).isEqualTo("unknown");
		assertThat(ClaimValue.isClosed(ClaimValue.closed(value, Instant.EPOCH))).isTrue();
	}

	/** The comparison of etcd is that of the bytes. */
	@ParameterizedTest
	@ValueSource(strings = { "!", "-", "~", "" })
	void closedValuesAreLessThanThoseOfAllApplications(String application) {
		Claim claim = new Claim(new LockKey("k"), Member.of(application).newOwner(), Duration.ofSeconds(2),
				Duration.ofSeconds(1), false, 0);
		String open = ClaimValue.of(claim, Instant.EPOCH);
		assertThat(open).isGreaterThan(ClaimValue.LEAST_OPEN);
		assertThat(ClaimValue.isClosed(open)).isFalse();
		for (String closed : List.of(ClaimValue.closed(open, Instant.EPOCH),
				ClaimValue.closed(claim, Instant.EPOCH, null))) {
			assertThat(closed).isLessThan(ClaimValue.LEAST_OPEN);
			assertThat(ClaimValue.isClosed(closed)).isTrue();
		}
	}

	@Test
	void closedValueContainsTimesOfGrantAndRelease() {
		Claim claim = new Claim(new LockKey("k"), Member.of("shop").newOwner(), Duration.ofSeconds(2),
				Duration.ofSeconds(1), false, 0);
		Instant granted = Instant.ofEpochMilli(4);
		Instant released = Instant.ofEpochMilli(9);
		String forced = ClaimValue.closed(ClaimValue.of(claim, granted), released);
		assertThat(forced).isEqualTo(ClaimValue.closed(claim, granted, released));
		assertThat(ClaimValue.released(forced)).isEqualTo(released);
		assertThat(ClaimValue.released(ClaimValue.closed(claim, granted, null))).isNull();
		assertThat(ClaimValue.holder(new KeyValue("key", 7, 8, 0, forced)))
			.isEqualTo(Holder.of(claim.owner().token(), 7, granted, null));
		assertThat(ClaimValue.isHeldByLease(forced)).isFalse();
		assertThat(ClaimValue.session(forced)).isZero();
	}

}
