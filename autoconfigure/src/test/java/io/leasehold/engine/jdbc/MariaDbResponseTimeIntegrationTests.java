package io.leasehold.engine.jdbc;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MariaDbTestServer;

/**
 * The contract of late responses, kept by {@link JdbcLockEngine} on MariaDB.
 */
@Tag("full")
class MariaDbResponseTimeIntegrationTests extends JdbcResponseTimeContract {

	MariaDbResponseTimeIntegrationTests() {
		super("mariadb", MariaDbTestServer.shared().port());
	}

	@Override
	String url(int port) {
		return MariaDbTestServer.shared().url(port);
	}

}
