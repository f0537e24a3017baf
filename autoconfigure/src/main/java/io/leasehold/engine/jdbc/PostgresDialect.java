package io.leasehold.engine.jdbc;

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
		return "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
	}

	@Override
	String returning(String update, String expression) {
		return update + " RETURNING " + expression;
	}

	@Override
	String notifying(String expression, String channel) {
		return "%s, CASE WHEN waited_until > %s THEN pg_notify('%s', encode(id, 'hex')) END".formatted(expression,
				now(), channel);
	}

	@Override
	boolean listens() {
		return ClassUtils.isPresent("org.postgresql.PGConnection", null);
	}

	@Override
	String insert(String table, String columns, String values) {
		return returning(
				"INSERT INTO %s (id, %s) VALUES (?, %s) ON CONFLICT (id) DO NOTHING".formatted(table, columns, values),
				"grant_number");
	}

	/**
	 * The wait for somebody else's row lock has to end before the connection is broken,
	 * which would not end it. Set for the statement alone: a session's setting would stay
	 * behind in the server connections of a pooler, and a query timeout sends its cancel
	 * request by another connection, whose answer may be swallowed, too.
	 */
	@Override
	String where(Duration lockTimeout) {
		return "FROM (SELECT set_config('lock_timeout', '%d', TRUE) AS lock_timeout) s WHERE s.lock_timeout IS NOT NULL AND"
			.formatted(lockTimeout.toMillis());
	}

}
