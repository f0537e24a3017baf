package io.leasehold.engine.jdbc;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MySqlTestServer;

/**
 * The engine on MySQL when the network, other sessions or the server disturb it.
 */
@Tag("full")
class MySqlJdbcFaultsIntegrationTests extends MySqlFamilyJdbcLockEngineTests {

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
