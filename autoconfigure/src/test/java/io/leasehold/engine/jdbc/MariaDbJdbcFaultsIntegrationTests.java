package io.leasehold.engine.jdbc;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MariaDbTestServer;

/**
 * The engine on MariaDB when the network, other sessions or the server disturb it.
 */
@Tag("full")
class MariaDbJdbcFaultsIntegrationTests extends MySqlFamilyJdbcLockEngineTests {

	@Override
	int port() {
		return MariaDbTestServer.shared().port();
	}

	@Override
	String url(int port) {
		return MariaDbTestServer.shared().url(port);
	}

	@Override
	String platform() {
		return "mariadb";
	}

	@Override
	String lockTimeoutVariable() {
		return "max_statement_time";
	}

	@Override
	String setUpOperator() {
		return "SET SESSION idle_transaction_timeout = 0";
	}

}
