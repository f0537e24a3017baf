package io.leasehold.engine.jdbc;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MySqlTestServer;

/**
 * The engine on MySQL.
 */
@Tag("full")
class MySqlJdbcLockEngineIntegrationTests extends MySqlFamilyJdbcLockEngineTests {

	@Override
	int port() {
		return MySqlTestServer.shared().port();
	}

	@Override
	String url(int port) {
		return MySqlTestServer.shared().url(port);
	}

	@Override
	String platform() {
		return "mysql";
	}

	@Override
	String lockTimeoutVariable() {
		return "innodb_lock_wait_timeout";
	}

}
