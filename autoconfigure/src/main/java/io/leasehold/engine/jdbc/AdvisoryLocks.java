package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Advisory locks of PostgreSQL, which need no row. A free lock costs one statement. The
 * database queues waiting transactions, and even a single attempt does not overtake them.
 */
final class AdvisoryLocks implements ConnectionLocks {

	/** SQL state of an exceeded lock timeout. */
	private static final String TIMEOUT = "55P03";

	/**
	 * Null at the levels whose snapshot is older than the lock. A standby has advisory
	 * locks too, but apart from those of the primary.
	 */
	private static final String TRY = """
			SELECT CASE WHEN pg_is_in_recovery() THEN 'standby'
			WHEN current_setting('transaction_isolation') IN ('read committed', 'read uncommitted')
			THEN CASE WHEN pg_try_advisory_xact_lock%s(?) THEN 'granted' ELSE 'busy' END END""";

	private static final String WAIT = "SELECT pg_advisory_xact_lock%s(?)";

	/** Returns the former limit, or null on a standby. */
	private static final String LIMIT = """
			SELECT CASE WHEN NOT pg_is_in_recovery() THEN current_setting('lock_timeout') END,
			set_config('lock_timeout', ?, TRUE)""";

	private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

	@Override
	public boolean needRows() {
		return false;
	}

	@Override
	public Result acquire(Connection connection, RowId id, boolean shared, Duration wait) throws SQLException {
		String suffix = shared ? "_shared" : "";
		if (wait.isZero()) {
			String granted = query(connection, TRY.formatted(suffix), id.number());
			return switch (String.valueOf(granted)) {
				case "granted" -> Result.GRANTED;
				case "busy" -> Result.BUSY;
				case "standby" -> Result.READ_ONLY;
				default -> Result.STALE;
			};
		}
		// An error ends the transaction, but for one behind a savepoint
		Savepoint before = connection.setSavepoint();
		String limit = query(connection, LIMIT, Long.toString(millis(wait)));
		if (limit == null) {
			connection.rollback(before);
			return Result.READ_ONLY;
		}
		try {
			query(connection, WAIT.formatted(suffix), id.number());
		}
		catch (SQLException ex) {
			connection.rollback(before);
			if (TIMEOUT.equals(ex.getSQLState())) {
				return Result.BUSY;
			}
			throw ex;
		}
		query(connection, LIMIT, limit);
		connection.releaseSavepoint(before);
		return Result.GRANTED;
	}

	/** Return a lock timeout. Zero would mean no limit. */
	static long millis(Duration wait) {
		return (wait.compareTo(LONGEST) < 0) ? wait.plusNanos(999_999).toMillis() : LONGEST.toMillis();
	}

	private static @Nullable String query(Connection connection, String sql, @Nullable Object value)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(sql)) {
			statement.setObject(1, value);
			try (ResultSet rows = statement.executeQuery()) {
				rows.next();
				return rows.getString(1);
			}
		}
	}

}
