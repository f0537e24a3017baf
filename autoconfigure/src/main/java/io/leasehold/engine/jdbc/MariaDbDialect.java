package io.leasehold.engine.jdbc;

import java.math.BigDecimal;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Dialect of MariaDB, which differs from MySQL in its timeouts.
 */
final class MariaDbDialect extends MySqlDialect {

	private static final String NAME = "MariaDB";

	@Override
	protected String name() {
		return NAME;
	}

	/** MySQL's driver reveals MariaDB only in the version. */
	@Override
	protected boolean supports(DatabaseMetaData database) throws SQLException {
		return database.getDatabaseProductVersion().contains(NAME);
	}

	@Override
	protected String platform() {
		return "mariadb";
	}

	@Override
	protected String setLockTimeout(Duration lockTimeout) {
		return "SET SESSION max_statement_time = " + BigDecimal.valueOf(lockTimeout.toMillis(), 3);
	}

	@Override
	protected String setUp(Duration idle) {
		return "SET SESSION idle_transaction_timeout = %s".formatted(seconds(idle));
	}

	@Override
	protected @Nullable String closeWhenIdle(Duration idle) {
		return null;
	}

	@Override
	ConnectionLocks connectionLocks(String table) {
		return new MySqlRowLocks(table, "LOCK IN SHARE MODE");
	}

}
