package io.leasehold.engine.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;

import io.leasehold.leadership.LeadershipContract;
import io.leasehold.server.PostgresTestServer;
import io.leasehold.test.contract.EngineAddress;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * Leaders that a PostgreSQL database elects.
 */
@Tag("full")
class PostgresLeadershipIntegrationTests extends LeadershipContract {

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
