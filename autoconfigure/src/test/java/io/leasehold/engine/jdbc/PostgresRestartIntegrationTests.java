package io.leasehold.engine.jdbc;

import io.leasehold.server.PostgresTestServer;
import org.junit.jupiter.api.AfterEach;

/**
 * PostgreSQL crashes and comes back.
 */
class PostgresRestartIntegrationTests extends DatabaseRestartTests {

	private final PostgresTestServer server = PostgresTestServer.start();

	@AfterEach
	void stop() throws Exception {
		this.server.close();
	}

	@Override
	String url() {
		return this.server.url();
	}

	@Override
	String platform() {
		return "postgresql";
	}

	@Override
	void crash() throws Exception {
		this.server.stopImmediately();
	}

	@Override
	void startAgain() throws Exception {
		this.server.startAgain();
	}

}
