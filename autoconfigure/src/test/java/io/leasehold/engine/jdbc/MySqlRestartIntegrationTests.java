package io.leasehold.engine.jdbc;

import io.leasehold.server.MySqlTestServer;
import org.junit.jupiter.api.AfterEach;

/**
 * MySQL crashes and comes back.
 */
class MySqlRestartIntegrationTests extends DatabaseRestartTests {

	private final MySqlTestServer server = MySqlTestServer.start();

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
		return "mysql";
	}

	@Override
	void crash() throws Exception {
		this.server.kill();
	}

	@Override
	void startAgain() throws Exception {
		this.server.startAgain();
	}

}
