package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;

import io.leasehold.engine.Claim;
import io.leasehold.engine.MonotonicClock;
import io.leasehold.engine.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Releases of claims, after the requests of each that the database may still execute.
 * Thread-safe.
 */
final class Releases {

	private final LockDatabase database;

	private final String namespace;

	private final Duration mostStandBack;

	private final LateRequests late;

	/** Claims that a failed release may have freed. */
	private final LateRequests lateReleases;

	/** Claims whose requests certainly changed nothing, so that nothing is released. */
	private final LateRequests refused;

	/**
	 * Create the releases.
	 * @param late claims with requests that had no response
	 */
	Releases(LockDatabase database, JdbcSettings settings, LateRequests late, MonotonicClock clock) {
		this.database = database;
		this.namespace = settings.namespace();
		this.mostStandBack = settings.pollMax();
		this.late = late;
		this.lateReleases = new LateRequests(clock);
		this.refused = new LateRequests(clock);
	}

	/** Record that the database responded to a request of a claim. */
	void requested(Claim claim) {
		this.refused.remove(claim);
	}

	/** Record that a request of a claim failed, or was not sent. */
	void failed(Claim claim) {
		if (this.late.until(claim) == null) {
			this.refused.add(claim, 0);
		}
	}

	ReleaseOutcome release(Claim claim) {
		boolean nothing = this.refused.until(claim) != null && this.late.until(claim) == null;
		ReleaseOutcome outcome = nothing ? new ReleaseOutcome.NotOwner() : free(claim);
		this.refused.remove(claim);
		boolean repeated = this.lateReleases.until(claim) != null;
		this.lateReleases.remove(claim);
		return (repeated && outcome instanceof ReleaseOutcome.NotOwner) ? new ReleaseOutcome.Unknown() : outcome;
	}

	private ReleaseOutcome free(Claim claim) {
		RowId id = RowId.of(this.namespace, claim.key());
		Long latest = this.late.until(claim);
		Long marked = this.database.<@Nullable Long>call((latest != null) ? CallKind.CLOSE : CallKind.RELEASE,
				"release lock '" + claim.key() + "'", claim.key(), (session, tables) -> {
					Long freed = (latest != null) ? freeBehind(session, tables, id, claim, latest)
							: free(session, tables, id, claim, false);
					if (freed == null && claim.waits()) {
						tables.rows().leaveTurn(session, id, claim.owner().memberId());
					}
					return freed;
				});
		this.late.remove(claim);
		return released(marked);
	}

	/**
	 * Free a row after the requests of the claim that the database currently executes.
	 * The outcome is unknown while the database may still accept further ones. The last
	 * repetition reports that an earlier one has freed the row.
	 */
	private @Nullable Long freeBehind(Session session, LockTables tables, RowId id, Claim claim, long latest)
			throws SQLException {
		boolean over = tables.clock().read(session) > latest;
		Long freed = free(session, tables, id, claim, true);
		if (freed != null) {
			this.late.released(claim);
		}
		if (!over) {
			throw new SQLTransientException("An earlier request to acquire it may still arrive");
		}
		return (freed == null && this.late.isReleased(claim)) ? Long.valueOf(0) : freed;
	}

	/** Free a row. A claim is remembered if a failure may have freed its row. */
	private @Nullable Long free(Session session, LockTables tables, RowId id, Claim claim, boolean behind)
			throws SQLException {
		Grants grants = tables.grants(claim);
		String owner = claim.owner().token();
		try {
			return behind ? grants.freeBehind(session, id, claim.key(), owner) : grants.free(session, id, owner);
		}
		catch (SQLException | RuntimeException | Error ex) {
			boolean undone = tables.dialect().undoesFailures() && ex instanceof SQLException thrown
					&& Failures.isUndone(thrown);
			if (session.isUsed() && !undone) {
				this.lateReleases.add(claim, 0);
			}
			throw ex;
		}
	}

	private ReleaseOutcome released(@Nullable Long marked) {
		if (marked == null) {
			return new ReleaseOutcome.NotOwner();
		}
		if (marked <= 0) {
			return ReleaseOutcome.RELEASED;
		}
		Duration standBack = micros(marked);
		Duration most = this.mostStandBack;
		return new ReleaseOutcome.Released((standBack.compareTo(most) < 0) ? standBack : most);
	}

}
