package io.leasehold.engine.jdbc;

import io.leasehold.server.HsqldbTestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/**
 * The contract, kept by {@link JdbcLockEngine} on a database whose dialect is not built
 * in.
 */
@Tag("full")
class HsqldbLockEngineContractIntegrationTests extends OwnDatabaseLockEngineContract {

	private static HsqldbTestServer server;

	@BeforeAll
	static void startServer() {
		server = HsqldbTestServer.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@Override
	String url() {
		return server.url();
	}

}
