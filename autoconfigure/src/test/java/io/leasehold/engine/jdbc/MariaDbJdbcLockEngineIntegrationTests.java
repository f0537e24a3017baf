package io.leasehold.engine.jdbc;

import io.leasehold.test.MariaDbTestServer;

/**
 * The engine on MariaDB.
 */
class MariaDbJdbcLockEngineIntegrationTests extends NetworkedJdbcLockEngineTests {

	@Override
	int port() {
		return MariaDbTestServer.shared().port();
	}

	@Override
	String url(int port) {
		return MariaDbTestServer.shared().url(port);
	}

	@Override
	String platform() {
		return "mariadb";
	}

	@Override
	String setTimeZone() {
		return "SET GLOBAL time_zone = '-11:00'";
	}

	@Override
	String resetTimeZone() {
		return "SET GLOBAL time_zone = 'SYSTEM'";
	}

}
