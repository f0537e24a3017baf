package io.leasehold.engine.jdbc;

import io.leasehold.server.PostgresTestServer;

/**
 * Leaders that a PostgreSQL database elects while it or the network fails.
 */
class PostgresLeaderFaultsIntegrationTests extends JdbcLeaderFaultsContract {

	PostgresLeaderFaultsIntegrationTests() {
		super("postgresql", PostgresTestServer.shared().port());
	}

	@Override
	String url(int port) {
		return PostgresTestServer.shared().url(port);
	}

}
