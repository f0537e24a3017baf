package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
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
public class MySqlDialect extends Dialect {

	@Override
	protected String name() {
		return "MySQL";
	}

	@Override
	protected boolean supports(DatabaseMetaData database) throws SQLException {
		return database.getDatabaseProductName().equals("MySQL");
	}

	@Override
	protected String platform() {
		return "mysql";
	}

	@Override
	protected String now() {
		return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
	}

	@Override
	protected String returning(String expression) {
		return "LAST_INSERT_ID(%s)".formatted(expression);
	}

	@Override
	protected String aside(String expression) {
		return " + 0 * " + returning(expression);
	}

	@Override
	protected boolean returnsRows() {
		return false;
	}

	@Override
	protected String returning(String update, String expression) {
		return update;
	}

	@Override
	protected String insert(String table, String columns, String values, String condition) {
		return "INSERT IGNORE INTO %s (id, %s) SELECT ?, %s FROM DUAL WHERE %s".formatted(table, columns, values,
				condition);
	}

	@Override
	protected PreparedStatement prepare(Connection connection, String sql) throws SQLException {
		return connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS);
	}

	@Override
	protected @Nullable Long run(PreparedStatement statement) throws SQLException {
		if (statement.executeUpdate() == 0) {
			return null;
		}
		try (ResultSet keys = statement.getGeneratedKeys()) {
			return keys.next() ? keys.getLong(1) : 0L;
		}
	}

	/** MySQL accepts only whole seconds, at least one. */
	@Override
	protected String setLockTimeout(Duration lockTimeout) {
		return "SET SESSION innodb_lock_wait_timeout = %1$s, lock_wait_timeout = %1$s"
			.formatted(Math.max(1, lockTimeout.toSeconds()));
	}

	/** MySQL has no timeout for idle transactions, only one for idle sessions. */
	@Override
	protected @Nullable String closeWhenIdle(Duration idle) {
		return "SET @leasehold_wait = @@SESSION.wait_timeout, SESSION wait_timeout = %s".formatted(seconds(idle));
	}

	@Override
	protected String keepWhenIdle() {
		return "SET SESSION wait_timeout = @leasehold_wait";
	}

	@Override
	ConnectionLocks connectionLocks(String table) {
		return new MySqlRowLocks(table, "FOR SHARE");
	}

}
