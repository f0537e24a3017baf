package io.leasehold.engine.jdbc;

import io.leasehold.server.PostgresTestServer;

/**
 * The engine on PostgreSQL.
 */
class PostgresJdbcLockEngineIntegrationTests extends JdbcWaitingRowsTests {

	@Override
	String url() {
		return PostgresTestServer.shared().url();
	}

	@Override
	String platform() {
		return "postgresql";
	}

}
