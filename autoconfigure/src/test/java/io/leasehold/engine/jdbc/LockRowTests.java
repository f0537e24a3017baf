package io.leasehold.engine.jdbc;

import io.leasehold.engine.Access;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what a {@link LockRow} says in the very microsecond in which something ends.
 */
class LockRowTests {

	private static final Access PERMITS = Access.permits(2);

	@Test
	void keyIsBusyUntilTheLastOfWhatKeepsItUnavailable() {
		assertThat(row(3, 2, 0, 0).busyFor(Access.EXCLUSIVE)).isEqualTo(3);
		assertThat(row(2, 3, 0, 0).busyFor(Access.EXCLUSIVE)).isEqualTo(3);
		assertThat(row(2, 1, 3, 0).busyFor(Access.EXCLUSIVE)).isEqualTo(3);
		assertThat(row(2, 1, 0, 3).busyFor(Access.EXCLUSIVE)).isEqualTo(3);
	}

	@Test
	void turnOfAnAccessDelaysOnlyTheOthers() {
		assertThat(row(0, 0, 0, 3).busyFor(Access.SHARED)).isZero();
	}

	@Test
	void permitThatIsLeftIsAvailableAtOnceAndOtherwiseWhenTheFirstPlaceIs() {
		assertThat(permits(1).busyFor(PERMITS)).isZero();
		assertThat(permits(2).busyFor(PERMITS)).isEqualTo(4);
		assertThat(permits(1).busyFor(Access.SHARED)).isEqualTo(9);
	}

	@Test
	void holdersAreDeadFromTheEndOfTheLastPlaceOn() {
		assertThat(row(0, 0, 0, 0).hasDeadHolders()).isTrue();
		assertThat(row(0, 0, 1, 0).hasDeadHolders()).isFalse();
	}

	@Test
	void numberOfPermitsIsContradictedUntilTheLastPlaceEnds() {
		assertThat(permits(1).contradicts(Access.permits(3))).isTrue();
		assertThat(permits(1).contradicts(PERMITS)).isFalse();
		LockRow over = new LockRow(0, 0, true, 0, PERMITS, 0, 0, 0, Access.EXCLUSIVE, 0, false, 0, 0);
		assertThat(over.contradicts(Access.permits(3))).isFalse();
	}

	@Test
	void turnIsOfferedToAnotherAccessThanThatOfTheHolders() {
		assertThat(row(1, 0, 0, 0).offersTurn(Access.SHARED)).isTrue();
		assertThat(row(1, 0, 0, 0).offersTurn(Access.EXCLUSIVE)).isFalse();
		assertThat(row(0, 0, 1, 0).offersTurn(Access.EXCLUSIVE)).isTrue();
		assertThat(row(0, 0, 1, 0).offersTurn(PERMITS)).isFalse();
	}

	@Test
	void noTurnIsOfferedOfAFreeKey() {
		assertThat(row(0, 0, 0, 0).offersTurn(Access.EXCLUSIVE)).isFalse();
		assertThat(row(0, 0, 0, 0).offersTurn(Access.SHARED)).isFalse();
	}

	@Test
	void turnOfOneAccessIsNotOfferedToAnother() {
		assertThat(row(1, 0, 0, 1).offersTurn(Access.SHARED)).isTrue();
		assertThat(row(1, 0, 0, 1).offersTurn(PERMITS)).isFalse();
		assertThat(row(1, 0, 0, 0).offersTurn(PERMITS)).isTrue();
	}

	/** Permits may have been taken, and a claim for shared access may wait. */
	private static LockRow row(long ownedFor, long closedFor, long sharedFor, long turnFor) {
		return new LockRow(ownedFor, closedFor, true, sharedFor, PERMITS, 2, sharedFor, turnFor, Access.SHARED, 0,
				false, 0, 0);
	}

	private static LockRow permits(int taken) {
		return new LockRow(0, 0, true, 9, PERMITS, taken, 4, 0, Access.EXCLUSIVE, 0, false, 0, 0);
	}

}
