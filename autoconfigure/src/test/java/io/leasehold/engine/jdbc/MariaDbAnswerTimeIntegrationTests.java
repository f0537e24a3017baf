package io.leasehold.engine.jdbc;

import io.leasehold.server.MariaDbTestServer;

/**
 * The contract of late answers, kept by {@link JdbcLockEngine} on MariaDB.
 */
class MariaDbAnswerTimeIntegrationTests extends JdbcAnswerTimeContract {

	MariaDbAnswerTimeIntegrationTests() {
		super("mariadb", MariaDbTestServer.shared().port());
	}

	@Override
	String url(int port) {
		return MariaDbTestServer.shared().url(port);
	}

}
