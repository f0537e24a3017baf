package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.leasehold.engine.Claim;
import io.leasehold.engine.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

import static io.leasehold.engine.jdbc.Sql.micros;

/**
 * Releases of claims, after the requests of each that the database may still execute.
 * Thread-safe.
 *
 * @param late claims with requests that had no response or were refused
 */
record Releases(LockDatabase database, JdbcSettings settings, LateRequests late) {

	ReleaseOutcome release(Claim claim) {
		ReleaseOutcome outcome = this.late.areRefused(claim) ? new ReleaseOutcome.NotOwner() : free(claim);
		this.late.remove(claim);
		return outcome;
	}

	private ReleaseOutcome free(Claim claim) {
		RowId id = this.database.id(claim.key());
		Long latest = this.late.until(claim);
		AtomicBoolean mayBeFreed = new AtomicBoolean();
		Long marked = this.database.<@Nullable Long>call((latest != null) ? CallKind.CLOSE : CallKind.RELEASE,
				"release", claim.key(), (session, tables) -> {
					// A failed attempt is repeated, and may have freed the row
					boolean repeated = mayBeFreed.getAndSet(!tables.sql().dialect().undoesFailures());
					Long freed = (latest != null) ? freeBehind(session, tables, id, claim, latest)
							: tables.grants(claim).free(session, id, claim.owner().token());
					if (freed == null && claim.waits()) {
						tables.rows().leaveTurn(session, id, claim.owner().memberId());
					}
					return (freed == null && repeated) ? Long.valueOf(0) : freed;
				});
		return released(marked);
	}

	/**
	 * Free a row after the requests of the claim that the database currently executes. It
	 * is repeated while the database may still accept further ones.
	 */
	private @Nullable Long freeBehind(Session session, LockTables tables, RowId id, Claim claim, long latest)
			throws SQLException {
		boolean over = tables.clock().read(session) > latest;
		Long freed = tables.rows()
			.<@Nullable Long>afterRequests(session, id, claim.key(),
					() -> tables.grants(claim).free(session, id, claim.owner().token()));
		if (!over) {
			throw new SQLTransientException("An earlier request to acquire it may still arrive");
		}
		return freed;
	}

	private ReleaseOutcome released(@Nullable Long marked) {
		if (marked == null) {
			return new ReleaseOutcome.NotOwner();
		}
		if (marked <= 0) {
			return ReleaseOutcome.RELEASED;
		}
		Duration standBack = micros(marked);
		Duration most = this.settings.pollMax();
		return new ReleaseOutcome.Released((standBack.compareTo(most) < 0) ? standBack : most);
	}

}
