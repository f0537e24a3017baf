package io.leasehold.engine.jdbc;

import java.time.Duration;

import io.leasehold.LockKey;
import io.leasehold.engine.jdbc.HoldTime.Watch;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HoldTimes}. Times are microseconds.
 */
class HoldTimesTests {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration USUAL = Duration.ofSeconds(10);

	private static final RowId ROW = RowId.of("ns", new LockKey("order:42"));

	private static final long GRANTED = 1_000_000;

	private static final long NOW = 77_000_000_000_000L;

	private final HoldTimes times = new HoldTimes(SHORTEST);

	@Test
	void unknownKeyIsPolledAsUsual() {
		assertThat(watch("claim", 0)).isEqualTo(USUAL);
		assertThat(watch("claim", 7)).isEqualTo(USUAL);
	}

	@Test
	void regularHoldIsPolledShortlyBeforeItsExpectedEnd() {
		hold(40, 200_000);
		assertThat(watch("claim", 0)).isBetween(Duration.ofMillis(195), Duration.ofMillis(200));
		assertThat(watch("claim", 200_000)).isEqualTo(SHORTEST);
	}

	@Test
	void irregularHoldIsPolledMoreOftenThroughout() {
		for (int i = 0; i < 40; i++) {
			hold(1, (i % 2 == 0) ? 20_000 : 180_000);
		}
		assertThat(watch("claim", 0)).isBetween(Duration.ofMillis(10), Duration.ofMillis(40));
		assertThat(watch("claim", 250_000)).isBetween(Duration.ofMillis(10), Duration.ofMillis(40));
	}

	/** Such as that of a holder that was paused. */
	@Test
	void singleLongHoldChangesLittle() {
		hold(40, 200_000);
		hold(1, 60_000_000);
		assertThat(watch("claim", 0)).isBetween(Duration.ofMillis(195), Duration.ofMillis(200));
		assertThat(watch("claim", 200_000)).isEqualTo(SHORTEST);
	}

	@Test
	void longHoldsThatStayAreLearned() {
		hold(40, 200_000);
		hold(40, 10_000_000);
		assertThat(watch("claim", 0)).isBetween(Duration.ofMillis(9_500), USUAL);
	}

	@Test
	void overdueHoldIsPolledLessAndLess() {
		hold(40, 200_000);
		assertThat(watch("claim", 210_000)).isBetween(Duration.ofMillis(6), Duration.ofMillis(10));
		assertThat(watch("claim", 1_200_000)).isBetween(Duration.ofMillis(950), Duration.ofMillis(1000));
		assertThat(watch("claim", 60_000_000)).isEqualTo(USUAL);
	}

	/** Extra polls are bounded, whatever is known about the key. */
	@Test
	void numberOfExtraPollsIsBounded() {
		for (long time : new long[] { 0, 1, 100, 5_000, 200_000, 60_000_000 }) {
			for (int i = 0; i < 20; i++) {
				hold(1, time * (1 + i % 3));
				assertThat(extraPolls()).isLessThanOrEqualTo(HoldTime.INTERVALS + 1 + 27);
			}
		}
	}

	/** Count the extra polls of a day. The intervals after the release double. */
	private int extraPolls() {
		Duration day = Duration.ofDays(1);
		int polls = 0;
		long now = NOW + this.times.watch(ROW, new Watch("claim", GRANTED, 0, NOW, NOW + day.toNanos())).toNanos();
		Duration next = this.times.untilPoll(ROW, "claim", now);
		while (next != null) {
			polls++;
			now += next.toNanos();
			next = this.times.untilPoll(ROW, "claim", now);
		}
		return polls;
	}

	@Test
	void usualPollIsNeitherDelayedNorPrecededByACloseOne() {
		hold(40, 200_000);
		Duration usual = Duration.ofMillis(190);
		long due = NOW + usual.toNanos();
		assertThat(this.times.watch(ROW, new Watch("claim", GRANTED, 0, NOW, due))).isEqualTo(usual);
		assertThat(this.times.untilPoll(ROW, "claim", due)).isNull();
		assertThat(this.times.untilPoll(ROW, "claim", due - 1_500_000)).isEqualTo(Duration.ofNanos(1_500_000));
	}

	/** It takes longer than an extra poll, so the release would be found late. */
	@Test
	void usualPollAroundTheExpectedReleaseBecomesTheFirstOfThatTime() {
		hold(40, 200_000);
		Duration begin = watch("claim", 0);
		long usual = NOW + 200_000_000;
		assertThat(this.times.watch(ROW, new Watch("claim", GRANTED, 0, NOW, usual))).isEqualTo(begin);
		long now = NOW + begin.toNanos();
		assertThat(this.times.untilPoll(ROW, "claim", now)).isNull();
		long busyFor = Sql.micros(begin);
		assertThat(this.times.watch(ROW, new Watch("claim", GRANTED, busyFor, now, usual))).isEqualTo(SHORTEST);
	}

	@Test
	void regularReleaseIsFoundByOneOfAFewFrequentPolls() {
		hold(40, 200_000);
		assertThat(waitFor(200_000, 0)).isLessThanOrEqualTo(Sql.micros(SHORTEST));
	}

	/** Such as those of a busy machine. Otherwise they would come later and later. */
	@Test
	void delayOfPollsDoesNotDelayThoseOfTheNextHold() {
		for (int i = 0; i < 200; i++) {
			waitFor(20_000, 5_000);
		}
		for (int i = 0; i < 20; i++) {
			assertThat(waitFor(20_000, 5_000)).isLessThan(10_000);
		}
	}

	@Test
	void onlyTheClaimThatWasWatchedSendsExtraPolls() {
		assertThat(this.times.untilPoll(ROW, "claim", NOW)).isNull();
		hold(40, 200_000);
		watch("claim", 0);
		assertThat(this.times.untilPoll(ROW, "claim", NOW)).isNotNull();
		assertThat(this.times.untilPoll(ROW, "other", NOW)).isNull();
	}

	@Test
	void estimateThatIsTooLongBecomesShorter() {
		hold(40, 200_000);
		hold(40, 50_000);
		assertThat(watch("claim", 0)).isLessThan(Duration.ofMillis(60));
	}

	@Test
	void grantThatAnotherHolderHasReplacedRevealsItsTime() {
		for (int i = 0; i < 40; i++) {
			long grantedAt = GRANTED + i * 200_000L;
			this.times.watch(ROW, new Watch("claim", grantedAt, 199_500, NOW, NOW + USUAL.toNanos()));
		}
		assertThat(watch("other", 0)).isBetween(Duration.ofMillis(195), Duration.ofMillis(200));
	}

	@Test
	void grantsBetweenTwoClaimsRevealNothing() {
		this.times.watch(ROW, new Watch("one", GRANTED, 0, NOW, NOW));
		this.times.watch(ROW, new Watch("two", GRANTED + 200_000, 0, NOW, NOW));
		this.times.granted(ROW, "one", GRANTED + 400_000);
		assertThat(watch("two", 0)).isEqualTo(USUAL);
	}

	@Test
	void clockThatWasSetChangesNothing() {
		hold(40, 200_000);
		Duration before = watch("claim", 0);
		this.times.granted(ROW, "claim", GRANTED - 1);
		watch("claim", 0);
		this.times.granted(ROW, "claim", GRANTED + Sql.micros(Duration.ofDays(1)));
		assertThat(watch("claim", 0)).isEqualTo(before);
	}

	private void hold(int times, long micros) {
		for (int i = 0; i < times; i++) {
			waitFor(micros, 0);
		}
	}

	/**
	 * Let a claim poll when it should, until the key is released.
	 * @param held how long it is held
	 * @param late delay of each poll
	 * @return the time from the release to the grant
	 */
	private long waitFor(long held, long late) {
		long busyFor = 0;
		Duration next = watch("claim", 0);
		while (true) {
			busyFor += Sql.micros(next) + late;
			if (busyFor >= held) {
				this.times.granted(ROW, "claim", GRANTED + busyFor);
				return busyFor - held;
			}
			next = this.times.untilPoll(ROW, "claim", NOW + busyFor * 1000);
			if (next == null) {
				long now = NOW + busyFor * 1000;
				next = this.times.watch(ROW, new Watch("claim", GRANTED, busyFor, now, now + USUAL.toNanos()));
			}
		}
	}

	/** Return the time until the next poll of a claim that has just seen a hold. */
	private Duration watch(String claim, long heldFor) {
		return this.times.watch(ROW, new Watch(claim, GRANTED, heldFor, NOW, NOW + USUAL.toNanos()));
	}

}
