package io.leasehold.engine.jdbc;

import io.leasehold.server.MariaDbTestServer;

/**
 * The contract of late responses, kept by {@link JdbcLockEngine} on MariaDB.
 */
class MariaDbResponseTimeIntegrationTests extends JdbcResponseTimeContract {

	MariaDbResponseTimeIntegrationTests() {
		super("mariadb", MariaDbTestServer.shared().port());
	}

	@Override
	String url(int port) {
		return MariaDbTestServer.shared().url(port);
	}

}
