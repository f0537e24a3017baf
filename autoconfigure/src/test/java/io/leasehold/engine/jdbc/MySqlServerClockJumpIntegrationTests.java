package io.leasehold.engine.jdbc;

import java.util.Map;

import org.junit.jupiter.api.Tag;

import io.leasehold.server.MySqlTestServer;

/**
 * The clock of MySQL is set.
 */
@Tag("full")
class MySqlServerClockJumpIntegrationTests extends ServerClockJumpTests {

	private MySqlTestServer server;

	@Override
	String start(Map<String, String> environment) {
		this.server = MySqlTestServer.start(environment);
		return this.server.url();
	}

	@Override
	void stop() throws Exception {
		this.server.close();
	}

	@Override
	String platform() {
		return "mysql";
	}

}
