package io.leasehold.engine.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

import org.springframework.util.ClassUtils;

/**
 * PostgreSQL.
 */
final class PostgresDialect extends Dialect {

	@Override
	String product() {
		return "PostgreSQL";
	}

	@Override
	String platform() {
		return "postgresql";
	}

	@Override
	String now() {
		return "CAST(DATE_PART('epoch', clock_timestamp()) * 1000000 AS BIGINT)";
	}

	@Override
	String returning(String update, String expression) {
		return update + " RETURNING " + expression;
	}

	@Override
	String notifying(String expression, String channel) {
		return "%1$s, CASE WHEN %1$s > 0 THEN pg_notify('%2$s', encode(id, 'hex')) END".formatted(expression, channel);
	}

	@Override
	boolean listens() {
		return ClassUtils.isPresent("org.postgresql.PGConnection", null);
	}

	@Override
	String insert(String table, String columns, String values, String condition) {
		return returning("INSERT INTO %s (id, %s) SELECT ?, %s WHERE %s ON CONFLICT (id) DO NOTHING".formatted(table,
				columns, values, condition), "grant_number");
	}

	/**
	 * The wait for somebody else's row lock has to end before the connection is broken,
	 * which would not end it. Set for the statement alone: a session's setting would stay
	 * behind in the server connections of a pooler, and a query timeout sends its cancel
	 * request by another connection, whose answer may be swallowed, too. A comparison
	 * comes after that of the id, where a small table is read as a whole.
	 */
	@Override
	String waiting() {
		return " AND set_config('lock_timeout', ?, TRUE) <> ''";
	}

	@Override
	void bindWaiting(PreparedStatement statement, int index, Duration lockTimeout) throws SQLException {
		statement.setString(index, Long.toString(lockTimeout.toMillis()));
	}

	@Override
	String endingWhenIdle(Duration idle) {
		return " AND set_config('idle_in_transaction_session_timeout', '%d', TRUE) <> ''".formatted(idle.toMillis());
	}

}
