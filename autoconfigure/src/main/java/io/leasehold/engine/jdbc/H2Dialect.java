package io.leasehold.engine.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Dialect of H2, whose clock stands still within a transaction, hence within a statement.
 */
final class H2Dialect extends Dialect {

	private static final int DUPLICATE_KEY = 23505;

	@Override
	protected String name() {
		return "H2";
	}

	@Override
	protected boolean supports(DatabaseMetaData database) throws SQLException {
		return database.getDatabaseProductName().equals("H2");
	}

	@Override
	protected String platform() {
		return "h2";
	}

	@Override
	protected String now() {
		return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
	}

	@Override
	protected String returning(String update, String expression) {
		return "SELECT %s FROM FINAL TABLE (%s)".formatted(expression, update);
	}

	@Override
	protected String insert(String table, String columns, String values, String condition) {
		return returning("INSERT INTO %s (id, %s) SELECT CAST(? AS BINARY(32)), %s WHERE %s".formatted(table, columns,
				values, condition), "grant_number");
	}

	@Override
	protected boolean isInsertedMeanwhile(SQLException failure) {
		return failure.getErrorCode() == DUPLICATE_KEY;
	}

	/**
	 * A query that changes rows is committed even if it fails. One that fails between its
	 * rows even removes some of them, because it removes all before it adds them changed.
	 */
	@Override
	protected boolean undoesFailures() {
		return false;
	}

	@Override
	protected String setLockTimeout(Duration lockTimeout) {
		return "SET LOCK_TIMEOUT " + lockTimeout.toMillis();
	}

	@Override
	ConnectionLocks connectionLocks(String table) {
		return new H2RowLocks(table);
	}

}
