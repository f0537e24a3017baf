package io.leasehold.engine.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Dialect of PostgreSQL, and base of dialects of its relatives.
 */
public class PostgresDialect extends Dialect {

	@Override
	protected String name() {
		return "PostgreSQL";
	}

	@Override
	protected boolean supports(DatabaseMetaData database) throws SQLException {
		return database.getDatabaseProductName().equals("PostgreSQL");
	}

	@Override
	protected String platform() {
		return "postgresql";
	}

	@Override
	protected String now() {
		return "CAST(DATE_PART('epoch', clock_timestamp()) * 1000000 AS BIGINT)";
	}

	@Override
	protected String returning(String update, String expression) {
		return update + " RETURNING " + expression;
	}

	@Override
	protected String notifying(String expression, String channel) {
		return "%1$s, CASE WHEN %1$s > 0 THEN pg_notify('%2$s', encode(id, 'hex')) END".formatted(expression, channel);
	}

	@Override
	protected @Nullable String publishing(String channel) {
		return listens() ? "SELECT pg_notify('%s', ?)".formatted(channel) : null;
	}

	@Override
	protected boolean listens() {
		return ClassUtils.isPresent("org.postgresql.PGConnection", null);
	}

	@Override
	protected String insert(String table, String columns, String values, String condition) {
		return returning("INSERT INTO %s (id, %s) SELECT ?, %s WHERE %s ON CONFLICT (id) DO NOTHING".formatted(table,
				columns, values, condition), "grant_number");
	}

	/**
	 * Limit the wait for a row lock, which must end before the connection is broken,
	 * because a broken connection does not end it. The limit applies to the transaction
	 * only: a session's setting would remain in the server connections of a pooler. A
	 * query timeout sends its cancel request over another connection, whose response may
	 * be lost as well. The comparison is evaluated after that of the id if a small table
	 * is scanned.
	 */
	@Override
	protected String waiting() {
		return " AND set_config('lock_timeout', ?, TRUE) <> ''";
	}

	@Override
	protected void bindWaiting(PreparedStatement statement, int index, Duration lockTimeout) throws SQLException {
		statement.setString(index, Long.toString(lockTimeout.toMillis()));
	}

	@Override
	protected String endingWhenIdle(Duration idle) {
		return " AND set_config('idle_in_transaction_session_timeout', '%s', TRUE) <> ''".formatted(idle.toMillis());
	}

	@Override
	ConnectionLocks connectionLocks(String table) {
		return new AdvisoryLocks();
	}

}
