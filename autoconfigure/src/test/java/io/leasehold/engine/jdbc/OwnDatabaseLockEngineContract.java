package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import io.leasehold.server.OwnDatabase;

/**
 * The contract on {@linkplain OwnDatabase a database of your own}. The database has a
 * dialect, and its driver is on the class path.
 */
class OwnDatabaseLockEngineContract extends JdbcLockEngineContract {

	@Override
	String url() {
		return OwnDatabase.url();
	}

	@Override
	String platform() {
		try (Connection connection = DriverManager.getConnection(url())) {
			return Dialects.of(connection).platform();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
