package io.leasehold.engine.jdbc;

import io.leasehold.server.PostgresTestServer;

/**
 * The contract of late responses, kept by {@link JdbcLockEngine} on PostgreSQL.
 */
class PostgresResponseTimeIntegrationTests extends JdbcResponseTimeContract {

	PostgresResponseTimeIntegrationTests() {
		super("postgresql", PostgresTestServer.shared().port());
	}

	@Override
	String url(int port) {
		return PostgresTestServer.shared().url(port);
	}

}
