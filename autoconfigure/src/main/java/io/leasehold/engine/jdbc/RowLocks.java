package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Locks that are row locks of a transaction, taken by a locking query. The row must exist
 * before: transactions that wait for a row that one of them inserts can be in a deadlock.
 */
abstract class RowLocks implements ConnectionLocks {

	private final String query;

	/**
	 * Create locks.
	 * @param readOnly expression that is 1 on a server that accepts no changes
	 */
	RowLocks(String table, String readOnly) {
		this.query = "SELECT %s FROM %s WHERE id = ? ".formatted(readOnly, table);
	}

	@Override
	public boolean needRows() {
		return true;
	}

	/** Return the end of a query that locks its row. */
	abstract String locking(boolean shared, Duration wait);

	/** Return whether a failure is a lock timeout that undid only its statement. */
	abstract boolean isTimeout(Connection connection, SQLException failure) throws SQLException;

	final Result request(Connection connection, RowId id, boolean shared, Duration wait) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.query + locking(shared, wait))) {
			statement.setBytes(1, id.bytes());
			try (ResultSet rows = statement.executeQuery()) {
				if (!rows.next()) {
					return Result.MISSING;
				}
				return rows.getBoolean(1) ? Result.READ_ONLY : Result.GRANTED;
			}
		}
		catch (SQLException ex) {
			if (isTimeout(connection, ex)) {
				return Result.BUSY;
			}
			throw ex;
		}
	}

}
