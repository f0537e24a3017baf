package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;

import org.jspecify.annotations.Nullable;

/**
 * MariaDB, which has no UPDATE with RETURNING: the number comes back as the last insert
 * id, in the same answer.
 */
final class MariaDbDialect extends Dialect {

	@Override
	String product() {
		return "MariaDB";
	}

	@Override
	String urlPrefix() {
		return "jdbc:mariadb:";
	}

	@Override
	String platform() {
		return "mariadb";
	}

	@Override
	String now() {
		return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
	}

	@Override
	String telling(String expression) {
		return "LAST_INSERT_ID(%s)".formatted(expression);
	}

	@Override
	String aside(String expression) {
		return " + 0 * " + telling(expression);
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
	String insert(String table, String columns, String values) {
		return "INSERT IGNORE INTO %s (id, %s) VALUES (?, %s)".formatted(table, columns, values);
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

	@Override
	Properties driverProperties(Duration callTimeout) {
		Properties properties = new Properties();
		properties.setProperty("connectTimeout", Long.toString(callTimeout.toMillis()));
		properties.setProperty("socketTimeout", Long.toString(callTimeout.toMillis()));
		return properties;
	}

	@Override
	String setUp(Duration lockTimeout) {
		return "SET SESSION max_statement_time = %d.%03d".formatted(lockTimeout.toSeconds(),
				lockTimeout.toMillisPart());
	}

}
