package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Row locks of MySQL and MariaDB. A replica locks rows as well, apart from the primary.
 * Queries that lock have no separate timeout on MySQL: the session's timeouts, for rows
 * and for the table, are changed for one query.
 */
final class MySqlRowLocks extends RowLocks {

	/** A number or, in newer versions of MariaDB, a name. */
	private static final String READ_ONLY = "CONCAT(@@GLOBAL.read_only) NOT IN ('0', 'OFF')";

	private static final int TIMEOUT = 1205;

	private static final int NO_WAIT = 3572;

	private static final long LONGEST_SECONDS = Duration.ofDays(365).toSeconds();

	/** End of a query that shares the lock of its row. */
	private final String shared;

	MySqlRowLocks(String table, String shared) {
		super(table, READ_ONLY);
		this.shared = shared;
	}

	@Override
	String locking(boolean shared, Duration wait) {
		return (shared ? this.shared : "FOR UPDATE") + (wait.isZero() ? " NOWAIT" : "");
	}

	@Override
	public Result acquire(Connection connection, RowId id, boolean shared, Duration wait) throws SQLException {
		if (wait.isZero()) {
			return request(connection, id, shared, wait);
		}
		Session.execute(connection,
				("SET @leasehold_rows = @@SESSION.innodb_lock_wait_timeout, "
						+ "@leasehold_table = @@SESSION.lock_wait_timeout, "
						+ "SESSION innodb_lock_wait_timeout = %1$s, SESSION lock_wait_timeout = %1$s")
					.formatted(seconds(wait)));
		try {
			return request(connection, id, shared, wait);
		}
		finally {
			Session.execute(connection, "SET SESSION innodb_lock_wait_timeout = @leasehold_rows, "
					+ "SESSION lock_wait_timeout = @leasehold_table");
		}
	}

	/** Return whole seconds, rounded up, because there is no smaller unit. */
	static long seconds(Duration wait) {
		return (wait.getSeconds() < LONGEST_SECONDS) ? wait.plusNanos(999_999_999).toSeconds() : LONGEST_SECONDS;
	}

	/** A server can be configured to undo the whole transaction. */
	@Override
	boolean isTimeout(Connection connection, SQLException failure) throws SQLException {
		return failure.getErrorCode() == NO_WAIT
				|| failure.getErrorCode() == TIMEOUT && !rollsBackOnTimeout(connection);
	}

	private static boolean rollsBackOnTimeout(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery("SELECT @@innodb_rollback_on_timeout")) {
			return rows.next() && rows.getBoolean(1);
		}
	}

}
