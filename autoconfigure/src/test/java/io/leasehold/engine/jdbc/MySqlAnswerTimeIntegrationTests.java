package io.leasehold.engine.jdbc;

import io.leasehold.server.MySqlTestServer;

/**
 * The contract of late answers, kept by {@link JdbcLockEngine} on MySQL.
 */
class MySqlAnswerTimeIntegrationTests extends JdbcAnswerTimeContract {

	MySqlAnswerTimeIntegrationTests() {
		super("mysql", MySqlTestServer.shared().port());
	}

	@Override
	String url(int port) {
		return MySqlTestServer.shared().url(port);
	}

}
