package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Dialect of MySQL, which has no UPDATE with RETURNING. The response contains the number
 * as the last insert id.
 */
class MySqlDialect extends Dialect {

	@Override
	String product() {
		return "MySQL";
	}

	@Override
	String platform() {
		return "mysql";
	}

	@Override
	String now() {
		return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
	}

	@Override
	String returning(String expression) {
		return "LAST_INSERT_ID(%s)".formatted(expression);
	}

	@Override
	String aside(String expression) {
		return " + 0 * " + returning(expression);
	}

	@Override
	boolean returnsRows() {
		return false;
	}

	@Override
	String returning(String update, String expression) {
		return update;
	}

	@Override
	String insert(String table, String columns, String values, String condition) {
		return "INSERT IGNORE INTO %s (id, %s) SELECT ?, %s FROM DUAL WHERE %s".formatted(table, columns, values,
				condition);
	}

	@Override
	PreparedStatement prepare(Connection connection, String sql) throws SQLException {
		return connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS);
	}

	@Override
	@Nullable Long run(PreparedStatement statement) throws SQLException {
		if (statement.executeUpdate() == 0) {
			return null;
		}
		try (ResultSet keys = statement.getGeneratedKeys()) {
			return keys.next() ? keys.getLong(1) : 0L;
		}
	}

	/** MySQL accepts only whole seconds, at least one. */
	@Override
	String setLockTimeout(Duration lockTimeout) {
		return "SET SESSION innodb_lock_wait_timeout = %1$d, lock_wait_timeout = %1$d"
			.formatted(Math.max(1, lockTimeout.toSeconds()));
	}

	/** MySQL has no timeout for idle transactions, only one for idle sessions. */
	@Override
	@Nullable String closeWhenIdle(Duration idle) {
		return "SET @leasehold_wait = @@SESSION.wait_timeout, SESSION wait_timeout = %d".formatted(seconds(idle));
	}

	@Override
	String keepWhenIdle() {
		return "SET SESSION wait_timeout = @leasehold_wait";
	}

}
