package io.leasehold.engine.jdbc;

import io.leasehold.server.MySqlTestServer;

/**
 * The contract of late responses, kept by {@link JdbcLockEngine} on MySQL.
 */
class MySqlResponseTimeIntegrationTests extends JdbcResponseTimeContract {

	MySqlResponseTimeIntegrationTests() {
		super("mysql", MySqlTestServer.shared().port());
	}

	@Override
	String url(int port) {
		return MySqlTestServer.shared().url(port);
	}

}
