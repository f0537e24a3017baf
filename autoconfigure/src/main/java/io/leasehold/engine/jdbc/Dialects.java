package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Search for the dialect of a database: those of the application first, then the built-in
 * ones.
 */
final class Dialects {

	private static final List<Dialect> BUILT_IN = List.of(new H2Dialect(), new MariaDbDialect(), new MySqlDialect(),
			new PostgresDialect());

	private Dialects() {
	}

	/**
	 * Return the dialect of a connection's database, or {@code null} if there is none.
	 * @throws SQLException if the driver or a dialect of the application failed
	 */
	static @Nullable Dialect find(Connection connection) throws SQLException {
		DatabaseMetaData database = connection.getMetaData();
		for (Dialect dialect : all()) {
			if (dialect.supports(database)) {
				return dialect;
			}
		}
		return null;
	}

	/**
	 * Return the dialect of a connection's database.
	 * @throws SQLException as {@link #find}, and if there is none
	 */
	static Dialect of(Connection connection) throws SQLException {
		Dialect dialect = find(connection);
		if (dialect == null) {
			throw new SQLFeatureNotSupportedException("The JDBC lock engine does not support database '%s', only %s"
				.formatted(connection.getMetaData().getDatabaseProductName(),
						all().stream().map(Dialect::name).toList()),
					"0A000");
		}
		if (BUILT_IN.contains(dialect) && dialect instanceof PostgresDialect) {
			checkIsPostgres(connection);
		}
		return dialect;
	}

	/** CockroachDB has the functions of advisory locks, but they do nothing. */
	private static void checkIsPostgres(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("SELECT version()")) {
			if (row.next() && row.getString(1).startsWith("CockroachDB")) {
				throw new SQLFeatureNotSupportedException(
						"The JDBC lock engine does not support CockroachDB, whose advisory locks lock nothing",
						"0A000");
			}
		}
	}

	/**
	 * Return the locks of a dialect's database that are part of a caller's transaction,
	 * or {@code null} if there are none.
	 * @param table name of the lock table
	 */
	static @Nullable ConnectionLocks connectionLocks(Dialect dialect, String table) {
		boolean locks = BUILT_IN.contains(dialect) || dialect.locksInTransactions();
		return locks ? dialect.connectionLocks(table) : null;
	}

	/** Return all dialects. They are few, and connections are rare. */
	private static List<Dialect> all() throws SQLException {
		List<Dialect> all = new ArrayList<>();
		try {
			ServiceLoader.load(Dialect.class, ClassUtils.getDefaultClassLoader()).forEach(all::add);
		}
		catch (ServiceConfigurationError ex) {
			throw new SQLFeatureNotSupportedException(
					"A dialect for the JDBC lock engine cannot be loaded: " + ex.getMessage(), "0A000", ex);
		}
		all.addAll(BUILT_IN);
		return all;
	}

}
