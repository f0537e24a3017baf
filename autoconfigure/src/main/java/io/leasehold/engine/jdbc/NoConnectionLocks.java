package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;

/**
 * Connection locks of a dialect that has none.
 */
final class NoConnectionLocks implements ConnectionLocks {

	private static final String REASON = "the dialect of its database has no locks in transactions";

	@Override
	public boolean needRows() {
		return false;
	}

	@Override
	public String unsupported(boolean shared) {
		return REASON;
	}

	@Override
	public Result acquire(Connection connection, RowId id, boolean shared, Duration wait) throws SQLException {
		throw new SQLFeatureNotSupportedException(REASON, "0A000");
	}

}
