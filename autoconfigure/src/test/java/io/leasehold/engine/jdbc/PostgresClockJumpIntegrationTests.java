package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.ClockJumpContract;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * Clocks of processes that share a PostgreSQL database.
 */
@Tag("full")
class PostgresClockJumpIntegrationTests extends ClockJumpContract {

	@BeforeAll
	static void createTable() throws SQLException {
		try (Connection connection = DriverManager.getConnection(PostgresTestServer.shared().url())) {
			ScriptUtils.executeSqlScript(connection, new ClassPathResource(LockTableScript.location("postgresql")));
		}
	}

	@Override
	protected EngineAddress address() {
		return new EngineAddress(JdbcLockEngineContract.Opener.class, List.of(PostgresTestServer.shared().url()));
	}

}
