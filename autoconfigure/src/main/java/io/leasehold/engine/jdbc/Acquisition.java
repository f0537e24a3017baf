package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import io.leasehold.engine.Access;
import io.leasehold.engine.AcquisitionOutcome;
import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.Renewal;
import io.leasehold.engine.support.Jitter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Request for a key: acquires its row, or determines why it is busy and when to retry.
 *
 * @param clock monotonic clock of the service
 * @param late claims with requests that had no response
 */
record Acquisition(JdbcSettings settings, MonotonicClock clock, LateRequests late, Session session, LockTables tables,
		RowId id, Claim claim) {

	private static final Log logger = LogFactory.getLog(Acquisition.class);

	/** Maximum number of rounds if a row changes while it cannot be acquired. */
	private static final int MOST_ROUNDS = 4;

	/** Greater than that of other engines, because all waiting processes poll. */
	private static final double POLL_JITTER = 0.25;

	/** A poll for an expired lease should not arrive just before its end. */
	private static final Duration AFTER_EXPIRY = Duration.ofMillis(1);

	AcquisitionOutcome attempt() throws SQLException {
		try {
			return rounds();
		}
		catch (SQLException | RuntimeException | Error ex) {
			if (!(ex instanceof SQLException failure) || !Failures.changedNothing(failure)) {
				long latest = latest(this.tables.clock().estimate());
				this.late.add(this.claim, latest + Sql.micros(this.settings.longestWait()));
			}
			throw ex;
		}
	}

	private AcquisitionOutcome rounds() throws SQLException {
		for (int i = 0; i < MOST_ROUNDS; i++) {
			AcquisitionOutcome attempt = round();
			if (attempt != null) {
				return attempt;
			}
			if (i > 0) {
				this.tables.clock().doubt(); // the database may have rejected it as late
			}
		}
		return new AcquisitionOutcome.Busy(this.settings.pollMin());
	}

	/** Try once; {@code null} if the row has changed meanwhile or the request is late. */
	private @Nullable AcquisitionOutcome round() throws SQLException {
		Grants grants = this.tables.grants(this.claim);
		long latest = latest(this.tables.clock().micros(this.session));
		long sent = this.clock.nanoTime();
		Long number = grants.take(this.session, this.id, this.claim, latest);
		if (number == null) {
			Duration extra = untilExtraPoll();
			if (extra != null) {
				return new AcquisitionOutcome.Busy(extra);
			}
			LockRow row = this.tables.rows().find(this.session, this.id, this.claim.owner());
			if (row != null) {
				return refused(row);
			}
			sent = this.clock.nanoTime();
			number = grants.insert(this.session, this.id, this.claim, latest);
		}
		return (number != null) ? granted(number, sent, this.claim.lingers()) : null;
	}

	/**
	 * Return the time until the next poll after an extra one, which consists of the
	 * update alone, or {@code null} if this is a usual poll.
	 */
	private @Nullable Duration untilExtraPoll() {
		ExtraPolls polls = this.tables.extraPolls();
		return (polls != null && this.claim.waits() && this.late.until(this.claim) == null)
				? polls.next(this.id, this.claim, this.clock.nanoTime()) : null;
	}

	/**
	 * Return the time after which the database rejects a request as late.
	 * @param now when it is sent, by the database's clock
	 */
	private long latest(long now) {
		return now + Sql.micros(this.settings.longestCall());
	}

	private AcquisitionOutcome granted(long number, long sent, boolean lingers) {
		return new AcquisitionOutcome.Granted(number, MonotonicClock.validUntil(sent, this.claim.lease()),
				lingers ? AcquisitionOutcome.Granted.RESERVED : 0);
	}

	private @Nullable AcquisitionOutcome refused(LockRow row) throws SQLException {
		Access access = this.claim.access();
		if (row.ownNumber() > 0) {
			return foundAgain(row.ownNumber());
		}
		if (row.contradicts(access)) {
			return new AcquisitionOutcome.Contradicted(row.sharedAccess());
		}
		long busyFor = row.busyFor(access);
		if (busyFor > 0) {
			return busy(row, micros(busyFor).plus(AFTER_EXPIRY));
		}
		if (row.hasDeadHolders()) {
			this.tables.shared().sweep(this.session, this.id);
		}
		return null;
	}

	/** Extend the claim's own grant, which then lingers no longer. */
	private @Nullable AcquisitionOutcome foundAgain(long number) throws SQLException {
		long sent = this.clock.nanoTime();
		RenewalBatch batch = new RenewalBatch(
				List.of(new RenewalBatch.Entry(this.id, new Renewal(this.claim, number, this.claim.lease()))));
		boolean extended = !this.tables.grants(this.claim).renew(this.session, batch).isEmpty();
		return extended ? granted(number, sent, false) : null;
	}

	private AcquisitionOutcome busy(LockRow row, Duration free) {
		Duration poll = pollInterval();
		Duration retryIn = (free.compareTo(poll) < 0) ? free : poll;
		boolean recalled = false;
		try {
			if (this.claim.waits() && leaveMark(row, retryIn)) {
				retryIn = beginExtraPolls(retryIn);
			}
			// After the mark: the release that follows has to notify this claim
			recalled = row.recallMark() > 0 && this.tables.rows().recall(this.session, row.recallMark());
		}
		catch (SQLException ex) {
			logger.debug("Could not mark the row of lock '%s' as awaited, or recall it".formatted(this.claim.key()),
					ex);
		}
		return new AcquisitionOutcome.Busy(retryIn, recalled);
	}

	/** Mark the row as awaited, and return whether this process has the mark. */
	private boolean leaveMark(LockRow row, Duration retryIn) throws SQLException {
		LockTable rows = this.tables.rows();
		String waiter = this.claim.owner().memberId();
		if (row.offersTurn(this.claim.access())) {
			// Long enough that a slow poll does not lose the turn
			Duration turn = this.settings.longestCall();
			if (micros(row.turnFor()).compareTo(turn.dividedBy(2)) < 0) {
				rows.takeTurn(this.session, this.id, waiter, this.claim.access(), turn);
			}
			return false;
		}
		if (micros(row.markedFor()).compareTo(retryIn) < 0) {
			return rows.mark(this.session, this.id, waiter, retryIn.multipliedBy(2));
		}
		return row.marksClaim();
	}

	/** Return the time until the next poll of the only process that polls more often. */
	private Duration beginExtraPolls(Duration usual) {
		ExtraPolls polls = this.tables.extraPolls();
		return (polls != null && this.claim.access().equals(Access.EXCLUSIVE))
				? polls.begin(this.id, this.claim, this.clock.nanoTime(), usual) : usual;
	}

	/** Return half of the waited time, bounded, with jitter: polls leave no state. */
	private Duration pollInterval() {
		long least = this.settings.pollMin().toNanos();
		long most = this.settings.pollMax().toNanos();
		long interval = Math.max(least, Math.min(most, (this.clock.nanoTime() - this.claim.since()) / 2));
		Duration poll = Jitter.shorten(Duration.ofNanos(interval), POLL_JITTER);
		return (poll.compareTo(this.settings.pollMin()) > 0) ? poll : this.settings.pollMin();
	}

}
