package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Row locks of MariaDB, whose queries have a timeout.
 */
final class MariaDbRowLocks extends MySqlRowLocks {

	MariaDbRowLocks(String table) {
		super(table);
	}

	@Override
	public Result acquire(Connection connection, RowId id, boolean shared, Duration wait) throws SQLException {
		return request(connection, id, shared, wait);
	}

	@Override
	String locking(boolean shared, Duration wait) {
		return (shared ? "LOCK IN SHARE MODE" : "FOR UPDATE")
				+ (wait.isZero() ? " NOWAIT" : " WAIT %s".formatted(seconds(wait)));
	}

}
