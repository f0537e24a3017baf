package io.leasehold.engine.jdbc;

import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.engine.Claim;
import io.leasehold.engine.Member;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ExtraPolls}.
 */
class ExtraPollsTests {

	private static final LockKey KEY = new LockKey("order:42");

	private static final RowId ROW = RowId.of("ns", KEY);

	private static final Duration SHORTEST = Duration.ofNanos(500_000);

	private static final Duration USUAL = Duration.ofMillis(100);

	private static final long START = Long.MAX_VALUE - 1_000;

	private final ExtraPolls polls = new ExtraPolls(SHORTEST);

	private final Claim claim = claim();

	@Test
	void pollIsUsualUnlessExtraOnesHaveBegun() {
		assertThat(this.polls.next(ROW, this.claim, at(7))).isNull();
		this.polls.begin(ROW, claim(), at(7), USUAL);
		assertThat(this.polls.next(ROW, this.claim, at(7))).isNull();
	}

	@Test
	void pollsFollowAtTheShortestIntervalAtFirst() {
		assertThat(this.polls.begin(ROW, this.claim, at(0), USUAL)).isEqualTo(SHORTEST);
		assertThat(this.polls.next(ROW, this.claim, at(16))).isEqualTo(SHORTEST);
	}

	@Test
	void intervalsGrowWithTheTimeWaited() {
		assertThat(this.polls.begin(ROW, this.claim, at(320), USUAL)).isEqualTo(Duration.ofMillis(10));
		assertThat(this.polls.next(ROW, this.claim, at(384))).isEqualTo(Duration.ofMillis(12));
	}

	@Test
	void usualPollIsNotDelayed() {
		Duration usual = Duration.ofMillis(10);
		this.polls.begin(ROW, this.claim, at(3_200), usual);
		assertThat(this.polls.next(ROW, this.claim, at(3_209))).isEqualTo(Duration.ofMillis(1));
		assertThat(this.polls.next(ROW, this.claim, at(3_210))).isNull();
	}

	@Test
	void claimThatHasWaitedForLongOnlySendsUsualPolls() {
		assertThat(this.polls.begin(ROW, this.claim, at(10_000), USUAL)).isEqualTo(USUAL);
	}

	/** The clock may overflow. */
	private static long at(long millis) {
		return START + Duration.ofMillis(millis).toNanos();
	}

	private static Claim claim() {
		return new Claim(KEY, Member.of("shop").newOwner(), Duration.ofMinutes(1), Duration.ZERO, true, START);
	}

}
