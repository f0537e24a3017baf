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

	/** Null at the levels whose snapshot is older than the lock. */
	private static final String TRY = """
			SELECT CASE WHEN current_setting('transaction_isolation') IN ('read committed', 'read uncommitted')
			THEN pg_try_advisory_xact_lock%s(?) END""";

	private static final String WAIT = "SELECT pg_advisory_xact_lock%s(?)";

	private static final String LIMIT = "SELECT current_setting('lock_timeout'), set_config('lock_timeout', ?, TRUE)";

	private static final Duration LONGEST = Duration.ofMillis(Integer.MAX_VALUE);

	@Override
	public boolean needRows() {
		return false;
	}

	@Override
	public @Nullable String unsupported(boolean shared) {
		return null;
	}

	@Override
	public Result acquire(Connection connection, RowId id, boolean shared, Duration wait) throws SQLException {
		String suffix = shared ? "_shared" : "";
		if (wait.isZero()) {
			String granted = query(connection, TRY.formatted(suffix), id.number());
			return (granted == null) ? Result.STALE : granted.equals("t") ? Result.GRANTED : Result.BUSY;
		}
		// An error ends the transaction, but for one behind a savepoint
		Savepoint before = connection.setSavepoint();
		String limit = query(connection, LIMIT, Long.toString(millis(wait)));
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
