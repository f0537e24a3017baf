package io.leasehold.engine.jdbc;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Moving averages of the hold time of a key and of its deviation, as TCP estimates round
 * trips. Times are microseconds. Immutable.
 *
 * @param mean average hold time, negative if none is known
 * @param deviation average distance of the hold times from their mean
 * @param watch the present hold, if a claim waits for its end
 */
record HoldTime(long mean, long deviation, @Nullable Watch watch) {

	static final HoldTime UNKNOWN = new HoldTime(-1, 0, null);

	/** Maximum number of intervals between polls around an expected release. */
	static final int INTERVALS = 16;

	/** Longer ones are no basis for frequent polls. */
	private static final long LONGEST = micros(Duration.ofHours(1));

	/** Time by which a release may differ from an exact expectation. */
	private static final long MARGIN = 500;

	/** Return the watch of a claim, or {@code null} if another claim waits or none. */
	@Nullable Watch watchOf(String claim) {
		return (this.watch != null && this.watch.claim().equals(claim)) ? this.watch : null;
	}

	HoldTime with(Watch watch) {
		return new HoldTime(this.mean, this.deviation, watch);
	}

	/**
	 * Return the averages after the watched hold was replaced by another grant. It was
	 * released between that moment and the last poll that found it: the middle counts,
	 * since an estimate that includes the wait for a poll would delay the next polls. A
	 * single time that differs a lot counts as one that differs less.
	 */
	HoldTime ended(long replacedAt) {
		long most = (this.watch != null) ? replacedAt - this.watch.grantedAt() : -1;
		if (this.watch == null || most < 0 || most > LONGEST) {
			return new HoldTime(this.mean, this.deviation, null); // the clock was set
		}
		return ended(this.watch, most);
	}

	private HoldTime ended(Watch watch, long replacedAfter) {
		long time = (Math.max(0, Math.min(watch.busyFor(), replacedAfter)) + replacedAfter) / 2;
		if (this.mean < 0) {
			return new HoldTime(time, time / 2, null);
		}
		long most = 4 * this.deviation + MARGIN;
		long error = Math.max(-most, Math.min(most, time - this.mean));
		return new HoldTime(this.mean + error / 4, this.deviation + (Math.abs(error) - this.deviation) / 4, null);
	}

	/**
	 * Return a watch whose usual poll, if it is due around the expected release, is sent
	 * at the beginning of that time: it takes longer than an extra one.
	 */
	Watch beforeRelease(Watch watch) {
		long usual = watch.busyFor() + (watch.usualPoll() - watch.seen()) / 1000;
		long begin = this.mean - around();
		return (this.mean >= 0 && begin > watch.busyFor() && usual > begin && usual < this.mean + around())
				? watch.withUsualPoll(watch.seen() + (begin - watch.busyFor()) * 1000) : watch;
	}

	/**
	 * Return the time until the next poll, at most until the usual one.
	 * @param now reading of the monotonic clock
	 * @param shortest minimum time between two polls
	 */
	Duration untilPoll(Watch watch, long now, long shortest) {
		long usual = (watch.usualPoll() - now + 999) / 1000;
		if (this.mean < 0) {
			return micros(usual);
		}
		long next = untilPoll(watch.busyFor(now), shortest);
		return micros((next + shortest <= usual) ? next : usual);
	}

	/**
	 * Return the time until the next poll. The intervals are equal around the expected
	 * release, and grow after it.
	 */
	private long untilPoll(long heldFor, long shortest) {
		long around = around();
		long interval = Math.max(shortest, (2 * around + INTERVALS - 1) / INTERVALS);
		long overdue = heldFor - this.mean - around;
		return Math.max(Math.max(interval, overdue), this.mean - around - heldFor);
	}

	/** Return the time before and after the expected release in which it is likely. */
	private long around() {
		return 2 * this.deviation + MARGIN;
	}

	/**
	 * Hold that a claim waits for.
	 *
	 * @param claim claim token of the waiting claim
	 * @param grantedAt time of the grant in microseconds since 1970
	 * @param busyFor microseconds from then to the last poll, which found the grant
	 * @param seen reading of the monotonic clock at that poll
	 * @param usualPoll reading of the monotonic clock at the next usual poll
	 */
	record Watch(String claim, long grantedAt, long busyFor, long seen, long usualPoll) {

		static Watch of(String claim, LockRow row, long now, Duration usual) {
			return new Watch(claim, row.grantedAt(), row.heldFor(), now, now + usual.toNanos());
		}

		/** Return the microseconds from the grant to a reading of the monotonic clock. */
		long busyFor(long now) {
			return this.busyFor + (now - this.seen) / 1000;
		}

		/** Return the watch after an extra poll that found the row busy. */
		Watch polled(long now) {
			return new Watch(this.claim, this.grantedAt, busyFor(now), now, this.usualPoll);
		}

		Watch withUsualPoll(long usualPoll) {
			return new Watch(this.claim, this.grantedAt, this.busyFor, this.seen, usualPoll);
		}

	}

}
