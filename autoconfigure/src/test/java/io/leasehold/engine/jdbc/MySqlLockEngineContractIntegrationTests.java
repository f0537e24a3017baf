package io.leasehold.engine.jdbc;

import io.leasehold.server.MySqlTestServer;

/**
 * The contract, kept by {@link JdbcLockEngine} on MySQL.
 */
class MySqlLockEngineContractIntegrationTests extends JdbcLockEngineContract {

	@Override
	String url() {
		return MySqlTestServer.shared().url();
	}

	@Override
	String platform() {
		return "mysql";
	}

}
