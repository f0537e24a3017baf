package io.leasehold.engine.jdbc;

import io.leasehold.server.PostgresTestServer;

/**
 * The contract, kept by {@link JdbcLockEngine} on PostgreSQL.
 */
class PostgresLockEngineContractIntegrationTests extends JdbcLockEngineContract {

	@Override
	String url() {
		return PostgresTestServer.shared().url();
	}

	@Override
	String platform() {
		return "postgresql";
	}

}
