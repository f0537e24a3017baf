package io.leasehold.engine.jdbc;

import java.sql.SQLException;
import java.time.Duration;

/**
 * H2. Its clock stands still within a transaction, hence within a statement.
 */
final class H2Dialect extends Dialect {

	private static final int DUPLICATE_KEY = 23505;

	@Override
	String product() {
		return "H2";
	}

	@Override
	String platform() {
		return "h2";
	}

	@Override
	String now() {
		return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
	}

	@Override
	String returning(String update, String expression) {
		return "SELECT %s FROM FINAL TABLE (%s)".formatted(expression, update);
	}

	@Override
	String insert(String table, String columns, String values) {
		return returning("""
				MERGE INTO %s t USING (SELECT CAST(? AS BINARY(32)) AS id) s ON t.id = s.id
				WHEN NOT MATCHED THEN INSERT (id, %s) VALUES (s.id, %s)""".formatted(table, columns, values),
				"grant_number");
	}

	/** MERGE looks and inserts in two steps. */
	@Override
	boolean isInsertedMeanwhile(SQLException failure) {
		return failure.getErrorCode() == DUPLICATE_KEY;
	}

	@Override
	String setUp(Duration lockTimeout) {
		return "SET LOCK_TIMEOUT " + lockTimeout.toMillis();
	}

}
