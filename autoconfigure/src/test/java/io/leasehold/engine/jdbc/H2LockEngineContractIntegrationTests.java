package io.leasehold.engine.jdbc;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract, kept by {@link JdbcLockEngine} on an H2 file that several processes
 * share. The process that was first to open the file serves it to the others: here this
 * one, since a frozen server does not respond.
 */
@Tag("full")
class H2LockEngineContractIntegrationTests extends JdbcLockEngineContract {

	@TempDir
	private Path folder;

	private Connection first;

	@Override
	String url() {
		return H2Files.url(this.folder);
	}

	@Override
	String platform() {
		return "h2";
	}

	@BeforeEach
	void openFirst() throws SQLException {
		this.first = DriverManager.getConnection(url());
	}

	@AfterEach
	void closeFirst() throws SQLException {
		this.first.close();
	}

}
