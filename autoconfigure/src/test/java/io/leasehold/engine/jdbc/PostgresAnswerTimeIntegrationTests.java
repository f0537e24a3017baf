package io.leasehold.engine.jdbc;

import io.leasehold.server.PostgresTestServer;

/**
 * The contract of late answers, kept by {@link JdbcLockEngine} on PostgreSQL.
 */
class PostgresAnswerTimeIntegrationTests extends JdbcAnswerTimeContract {

	PostgresAnswerTimeIntegrationTests() {
		super("postgresql", PostgresTestServer.shared().port());
	}

	@Override
	String url(int port) {
		return PostgresTestServer.shared().url(port);
	}

}
