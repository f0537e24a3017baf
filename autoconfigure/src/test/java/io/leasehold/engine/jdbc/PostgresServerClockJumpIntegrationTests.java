package io.leasehold.engine.jdbc;

import java.util.Map;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.PostgresTestServer;

/**
 * The clock of PostgreSQL is set.
 */
@Tag("full")
class PostgresServerClockJumpIntegrationTests extends ServerClockJumpTests {

	private PostgresTestServer server;

	@Override
	String start(Map<String, String> environment) {
		this.server = PostgresTestServer.start(environment);
		return this.server.url();
	}

	@Override
	void stop() throws Exception {
		this.server.close();
	}

	@Override
	String platform() {
		return "postgresql";
	}

}
