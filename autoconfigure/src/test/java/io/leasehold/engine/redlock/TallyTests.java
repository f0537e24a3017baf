package io.leasehold.engine.redlock;

import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Tally} with five masters.
 */
class TallyTests {

	@Test
	void numberOfAMajorityIsAgreedUpon() {
		assertThat(tally(granted(7), granted(9), granted(7), granted(7)).agreedNumber()).isEqualTo(7);
		Tally split = tally(granted(7), granted(9), granted(7), granted(9));
		assertThat(split.agreedNumber()).isZero();
		assertThat(split.greatestNumber()).isEqualTo(9);
		assertThat(split.granted()).isEqualTo(4);
	}

	@Test
	void rivalIsTheOneOfMostMasters() {
		Tally tally = tally(refused("a", 30), refused("b", 10), refused("b", 20), granted(1));
		assertThat(tally.strongestRival()).isEqualTo(2);
		assertThat(tally.busyFor()).isEqualTo(10);
		assertThat(tally.votes()).isEqualTo(4);
	}

	@Test
	void lockIsBusyIfAnotherMayHaveAMajority() {
		assertThat(tally(refused("a", 1), refused("a", 1), refused("a", 1)).isBusy(5, 3)).isTrue();
		assertThat(tally(refused("a", 1), refused("a", 1), granted(1), granted(1)).isBusy(5, 3)).isTrue();
		assertThat(tally(refused("a", 1), refused("a", 1), refused("b", 1), granted(1), granted(1)).isBusy(5, 3))
			.isFalse();
		assertThat(tally(refused("a", 1), refused("b", 1), refused("c", 1), refused("d", 1)).isBusy(5, 3)).isFalse();
	}

	@Test
	void grantedLockIsNotBusy() {
		assertThat(tally(granted(1), granted(2), granted(3)).isBusy(5, 3)).isFalse();
	}

	private static Tally tally(Vote... votes) {
		List<Vote> all = Stream.of(votes).toList();
		return Tally.of(Collections.unmodifiableList(all), 3);
	}

	private static Vote granted(long number) {
		return new Vote(true, number, "", 0);
	}

	private static Vote refused(String rival, long busyFor) {
		return new Vote(false, 0, rival, busyFor);
	}

}
