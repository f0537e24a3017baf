package io.leasehold.engine.jdbc;

import io.leasehold.server.MariaDbTestServer;

/**
 * The contract, kept by {@link JdbcLockEngine} on MariaDB.
 */
class MariaDbLockEngineContractIntegrationTests extends JdbcLockEngineContract {

	@Override
	String url() {
		return MariaDbTestServer.shared().url();
	}

	@Override
	String platform() {
		return "mariadb";
	}

}
