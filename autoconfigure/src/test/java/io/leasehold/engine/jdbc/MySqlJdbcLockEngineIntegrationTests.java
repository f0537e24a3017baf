package io.leasehold.engine.jdbc;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MySqlTestServer;

/**
 * The engine on MySQL.
 */
@Tag("full")
class MySqlJdbcLockEngineIntegrationTests extends JdbcWaitingRowsTests {

	@Override
	String url() {
		return MySqlTestServer.shared().url();
	}

	@Override
	String platform() {
		return "mysql";
	}

}
