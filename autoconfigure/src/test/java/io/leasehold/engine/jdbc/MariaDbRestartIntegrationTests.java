package io.leasehold.engine.jdbc;

import io.leasehold.server.MariaDbTestServer;
import org.junit.jupiter.api.AfterEach;

/**
 * MariaDB crashes and comes back.
 */
class MariaDbRestartIntegrationTests extends DatabaseRestartTests {

	private final MariaDbTestServer server = MariaDbTestServer.start();

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
		return "mariadb";
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
