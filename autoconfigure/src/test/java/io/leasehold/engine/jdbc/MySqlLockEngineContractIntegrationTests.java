package io.leasehold.engine.jdbc;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MySqlTestServer;

/**
 * The contract, kept by {@link JdbcLockEngine} on MySQL.
 */
@Tag("full")
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
