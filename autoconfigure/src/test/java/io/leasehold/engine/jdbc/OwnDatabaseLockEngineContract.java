package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.springframework.util.Assert;

/**
 * The contract on a database of your own, whose URL is the system property {@value #URL}.
 * The database has a dialect, and its driver is on the class path. Runs only if it is
 * named.
 */
class OwnDatabaseLockEngineContract extends JdbcLockEngineContract {

	private static final String URL = "leasehold.contract.jdbc.url";

	@Override
	String url() {
		String url = System.getProperty(URL);
		Assert.state(url != null,
				() -> "Set the system property %s to the URL of the database, with user and password".formatted(URL));
		return url;
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
