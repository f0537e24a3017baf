package io.leasehold.engine.jdbc;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MySqlTestServer;

/**
 * The contract of late responses, kept by {@link JdbcLockEngine} on MySQL.
 */
@Tag("full")
class MySqlResponseTimeIntegrationTests extends JdbcResponseTimeContract {

	MySqlResponseTimeIntegrationTests() {
		super("mysql", MySqlTestServer.shared().port());
	}

	@Override
	String url(int port) {
		return MySqlTestServer.shared().url(port);
	}

}
