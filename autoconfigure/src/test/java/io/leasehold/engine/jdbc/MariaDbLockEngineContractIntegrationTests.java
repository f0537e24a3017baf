package io.leasehold.engine.jdbc;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MariaDbTestServer;

/**
 * The contract, kept by {@link JdbcLockEngine} on MariaDB.
 */
@Tag("full")
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
