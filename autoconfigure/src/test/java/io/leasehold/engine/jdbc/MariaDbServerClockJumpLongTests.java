package io.leasehold.engine.jdbc;

import java.util.Map;

import io.leasehold.server.MariaDbTestServer;

/**
 * The clock of MariaDB is set, which makes that server slow.
 */
class MariaDbServerClockJumpLongTests extends ServerClockJumpTests {

	private MariaDbTestServer server;

	@Override
	String start(Map<String, String> environment) {
		this.server = MariaDbTestServer.start(environment);
		return this.server.url();
	}

	@Override
	void stop() throws Exception {
		this.server.close();
	}

	@Override
	String platform() {
		return "mariadb";
	}

}
