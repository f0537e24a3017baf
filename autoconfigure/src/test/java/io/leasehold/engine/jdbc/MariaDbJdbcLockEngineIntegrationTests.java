package io.leasehold.engine.jdbc;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MariaDbTestServer;

/**
 * The engine on MariaDB.
 */
@Tag("full")
class MariaDbJdbcLockEngineIntegrationTests extends JdbcWaitingRowsTests {

	@Override
	String url() {
		return MariaDbTestServer.shared().url();
	}

	@Override
	String platform() {
		return "mariadb";
	}

}
